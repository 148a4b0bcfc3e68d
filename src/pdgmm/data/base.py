"""What a data generator is: settings that build a world from a seed, and a world that can be sampled."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from pdgmm.settings import Settings

SampleCount = Annotated[int, Field(ge=2, le=10**9)]
"""The number of samples in a split. Samples are written block by block, so the disk is the real limit."""


class SampleCounts(Settings):
    """How many samples each split has."""

    train: SampleCount = Field(100_000, description="samples that methods learn from")
    test: SampleCount = Field(10_000, description="held-out samples of the same distribution")
    unmasked: SampleCount = Field(10_000, description="samples with every latent active")
    independent: SampleCount = Field(
        10_000, description="samples with the same masks, whose latents have no causal edges"
    )


@dataclass
class Structure:
    """What is fixed in a world: arrays by HDF5 path (``scm/adjacency``), and facts about it as JSON values."""

    arrays: dict[str, np.ndarray]
    facts: dict[str, Any] = field(default_factory=dict)


class World(ABC):
    """A fully drawn data-generating process."""

    observed: ClassVar[tuple[str, ...]] = ("x",)
    """The arrays of :meth:`sample` that methods may see; all other arrays are truth."""

    block_rows: ClassVar[int] = 65_536
    """Samples drawn at a time, so that memory does not grow with the dataset. Another value gives other samples."""

    n_latents: int
    """The number of true latents or, if they are not known, of latents to look for."""

    @abstractmethod
    def structure(self) -> Structure:
        """Masks, graph, weights, and the checks of the paper's assumptions."""

    def counts(self, samples: Settings) -> dict[str, int]:
        """The number of samples in every split, given the ``samples`` that were asked for."""
        return samples.model_dump()

    @abstractmethod
    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """``count`` samples of a split: ``x`` (count, x_dim), ``z`` (count, n), ``component`` (count,).

        A world whose latents are rotated adds ``source`` (count, n), the latents before the rotation.
        """


class Generator(Settings):
    """The settings of a generator."""

    images: ClassVar[bool] = False
    """Whether the observations are images."""

    pictures: ClassVar[bool] = False
    """Whether the observations are small images as rows of values from 0 to 1. Then the world's fact
    ``picture_shape`` is their height, width and number of colours, and methods read them as any other rows."""

    graph: ClassVar[bool] = True
    """Whether there is a true causal graph of the latents."""

    samples: SampleCounts = Field(default_factory=SampleCounts, description="samples per split")

    def side(self) -> tuple[str, ...]:
        """Observed variables besides ``x`` that methods may ask for."""
        return ()

    def truth(self) -> tuple[str, ...]:
        """Truth that reference methods such as the oracle may ask for."""
        return ()

    @abstractmethod
    def build(self, seed: int) -> World:
        """The world of ``seed``. Raises :class:`pdgmm.errors.UserError` if the settings allow none."""
