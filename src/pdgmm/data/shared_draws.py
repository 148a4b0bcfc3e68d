"""Data that do not depend on the seed of a run, so that fits with different seeds can be compared."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field, ValidationError, field_validator

from pdgmm.data.base import Generator, SampleCount, Structure, World
from pdgmm.seeds import child_generator
from pdgmm.settings import Settings


class TrainAndTest(Settings):
    """How many samples each split has."""

    train: SampleCount = Field(5000, description="samples that methods learn from")
    test: SampleCount = Field(5000, description="held-out samples of the same distribution")


class SharedWorld(World):
    """A world whose samples come from its own seed ``draw``, not from the run's."""

    block_rows = 2**40

    def __init__(self, world: World, draw: int, samples: Settings) -> None:
        self._world, self._draw, self._samples = world, draw, samples
        self.observed = world.observed
        self.n_latents = world.n_latents

    def structure(self) -> Structure:
        return self._world.structure()

    def counts(self, samples: Settings) -> dict[str, int]:
        return self._world.counts(self._samples)

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """The samples of the inner world for the seed ``draw``, drawn in the same blocks as without sharing."""
        size, blocks = self._world.block_rows, []
        for block, begin in enumerate(range(0, count, size)):
            own = child_generator(self._draw, "samples", split, block)
            blocks.append(self._world.sample(split, min(size, count - begin), own))
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


class SharedDraws(Generator):
    """Settings of data that can be shared by all seeds; :meth:`world` builds the world of one draw."""

    graph = False

    latents_known: ClassVar[bool] = True
    """Whether the true latents are known. If not, fits can only be compared with each other, and ``draw`` must be a
    number."""

    samples: TrainAndTest = Field(default_factory=TrainAndTest, description="samples per split")
    draw: int | None = Field(
        None,
        ge=0,
        description="number of the draw that every seed of a run gets; null: every seed draws its own data",
    )

    def world(self, draw: int) -> World:
        """The world of one draw."""
        raise NotImplementedError

    def build(self, seed: int) -> World:
        if self.draw is None:
            return self.world(seed)
        return SharedWorld(self.world(self.draw), self.draw, self.samples)


class Repeated(Generator):
    """One dataset of another generator, the same for every seed of a run.

    Fits with different seeds then see the same samples, and ``between_fits`` can compare them.
    """

    graph = False

    of: dict[str, Any] = Field(description="the other dataset: `generator` and its settings")
    draw: int = Field(0, ge=0, description="the seed of the other dataset")

    @field_validator("of")
    @classmethod
    def _complete(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Fill in the defaults of the other generator, so that equal settings give equal names."""
        name, settings = _inner(given)
        return {"generator": name, **settings.model_dump(mode="json")}

    @property
    def latents_known(self) -> bool:
        """Whether the other dataset has true latents."""
        inner = _inner(self.of)[1]
        return getattr(inner, "file", None) is None and getattr(inner, "latents_known", True)

    def side(self) -> tuple[str, ...]:
        return _inner(self.of)[1].side()

    def truth(self) -> tuple[str, ...]:
        return _inner(self.of)[1].truth()

    def build(self, seed: int) -> World:
        settings = _inner(self.of)[1]
        return SharedWorld(settings.build(self.draw), self.draw, settings.samples)


def _inner(given: Mapping[str, Any]) -> tuple[str, Generator]:
    """The name and the settings of the other generator; raises ``ValueError`` if they are wrong."""
    from pdgmm.data import GENERATORS, generator_class

    name = given.get("generator")
    if name not in GENERATORS or name == "repeated":
        raise ValueError(f"`generator` is {name!r}, use one of {', '.join(set(GENERATORS) - {'repeated'})}")
    inside = {key: value for key, value in given.items() if key != "generator"}
    try:
        settings = generator_class(name).model_validate(inside)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if settings.images:
        raise ValueError(f"the images of {name!r} cannot be repeated")
    return name, settings


def same_for_every_seed(settings: Generator) -> bool:
    """Whether all seeds see the same held-out samples."""
    shared = isinstance(settings, Repeated) or getattr(settings, "draw", None) is not None
    return shared or getattr(settings, "file", None) is not None
