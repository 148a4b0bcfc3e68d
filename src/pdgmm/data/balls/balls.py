"""Images of balls that move and sometimes rest: the paper's image data."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from pydantic import Field

from pdgmm.data.base import Generator, SampleCount, Structure, World
from pdgmm.errors import UserError
from pdgmm.seeds import child_generator
from pdgmm.settings import Settings

MOST_BALLS = 6

REST_RANGE = (0.3, 0.7)
"""Resting places lie in this square of the unit frame."""

REST_DISTANCE = 0.2
"""Resting places are farther apart than this."""

SPREAD = 0.1
"""Standard deviation of a coordinate around its resting place."""

FRAME_RANGE = (0.05, 0.95)
"""Positions lie in this square; those that fall outside are drawn again."""

TRIES = 100_000


class ImageCounts(Settings):
    """How many images each split has."""

    train: SampleCount = Field(20_000, description="images that methods learn from")
    test: SampleCount = Field(2_000, description="held-out images of the same distribution")
    unmasked: SampleCount = Field(2_000, description="images in which no ball rests")


@dataclass(frozen=True)
class BallsWorld(World):
    """Resting places ``places`` (balls, 2) and how balls are drawn."""

    block_rows = 2_048

    settings: "Balls"
    places: np.ndarray

    @property
    def n_latents(self) -> int:
        return self.places.size

    def structure(self) -> Structure:
        """``places``, and ``blocks`` if both coordinates of a ball rest together."""
        arrays = {"places": self.places}
        if self.settings.freeze == "ball":
            arrays["blocks"] = np.repeat(np.arange(len(self.places), dtype=np.int32), 2)
        return Structure(arrays, {"image_shape": [self.settings.size, self.settings.size, 3]})

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Images ``x`` as rows of bytes, positions ``z`` (x and y of each ball in turn), and two facts.

        ``component`` encodes in binary which balls or coordinates rest; ``apart`` says whether no two balls overlap.
        """
        wide = 2 if self.settings.freeze == "coordinate" else 1
        frozen = rng.random((count, len(self.places), wide)) < self.settings.freeze_probability
        if split == "unmasked":
            frozen[:] = False
        pattern = frozen.reshape(count, -1) @ (1 << np.arange(len(self.places) * wide))
        frozen = np.broadcast_to(frozen, (count, len(self.places), 2))
        positions = draw_positions(self.places, frozen, rng)
        return {
            "x": self._renderer.draw(positions).reshape(count, -1),
            "z": positions.reshape(count, -1).astype(np.float32),
            "component": pattern.astype(np.int32),
            "apart": apart(positions, self.settings.radius),
        }

    @cached_property
    def _renderer(self):  # noqa: ANN202
        from pdgmm.data.balls.drawing import RENDERERS

        return RENDERERS[self.settings.renderer](self.settings.size, self.settings.radius)


class Balls(Generator):
    """Images of coloured balls that sometimes rest, as in Xu, Lachapelle and Magliacane (2026).

    Resting places are uniform in the middle of the frame and more than 0.2 apart; a ball that does not rest is
    normally distributed around its own, with standard deviation 0.1, inside the frame. The latents are positions.
    """

    images = True
    graph = False

    samples: ImageCounts = Field(default_factory=ImageCounts, description="images per split")
    balls: int = Field(2, ge=1, le=MOST_BALLS, description="number of balls")
    freeze: Literal["ball", "coordinate"] = Field(
        "ball", description="whether x and y of a ball rest together or independently"
    )
    freeze_probability: float = Field(0.1, gt=0, lt=1, description="how often a ball, or a coordinate, rests")
    radius: float = Field(0.1, gt=0, lt=0.5, description="radius of a ball, as a share of the frame")
    size: int = Field(64, ge=8, le=1_024, multiple_of=4, description="width and height in pixels")
    renderer: Literal["subpixel", "integer"] = Field(
        "subpixel",
        description="soft edges around the exact position, or hard edges around a whole pixel, as in the paper",
    )

    def build(self, seed: int) -> BallsWorld:
        places = draw_resting_places(self.balls, child_generator(seed, "resting places"))
        return BallsWorld(self, places)


def draw_resting_places(balls: int, rng: np.random.Generator) -> np.ndarray:
    """Places (balls, 2), uniform in the square, given that all are far enough apart."""
    places = np.empty((0, 2))
    for _ in range(TRIES):
        place = rng.uniform(*REST_RANGE, 2)
        if (np.linalg.norm(places - place, axis=1) > REST_DISTANCE).all():
            places = np.vstack([places, place])
            if len(places) == balls:
                return places
        elif rng.random() < 1 / 50:
            # The first places may leave no room for the others: after some tries, start again.
            places = places[:0]
    raise UserError(
        f"balls={balls}: no room for {balls} resting places more than {REST_DISTANCE} apart: take fewer balls"
    )


def draw_positions(places: np.ndarray, frozen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Positions (count, balls, 2): normal around ``places`` (balls, 2) inside the frame, at rest where ``frozen``.

    ``frozen`` (count, balls, 2) says which coordinates rest.
    """
    positions = rng.normal(places, SPREAD, frozen.shape)
    smallest, largest = FRAME_RANGE
    while (outside := ((positions < smallest) | (positions > largest)).any(axis=-1)).any():
        positions[outside] = rng.normal(np.broadcast_to(places, frozen.shape)[outside], SPREAD)
    return np.where(frozen, places, positions)


def apart(positions: np.ndarray, radius: float) -> np.ndarray:
    """(count,) whether all balls with this ``radius`` at ``positions`` (count, balls, 2) are free of overlap."""
    difference = positions[:, :, None] - positions[:, None]
    distance = np.linalg.norm(difference, axis=-1)
    first, second = np.triu_indices(positions.shape[1], 1)
    return (distance[:, first, second] >= 2 * radius).all(axis=1)
