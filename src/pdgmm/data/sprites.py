"""Grey images of one sprite with independent factors of variation: a small stand-in for images of known factors."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from pdgmm.data.base import Structure, World
from pdgmm.data.shared_draws import SharedDraws, TrainAndTest
from pdgmm.data.sprite_drawing import SHAPES, draw_sprites

FACTORS = ("shape", "scale", "x", "y", "angle")

RANGES = ((0.2, 0.35), (0.31, 0.69), (0.31, 0.69), (0.0, np.pi / 3))
"""Bounds of the uniform scale, x, y and angle. No sprite touches the frame. The square repeats after 90 degrees, the
other shapes later, so angles from 0 to 60 degrees all look different: the ends of the range are 30 degrees apart."""


@dataclass(frozen=True)
class SpritesWorld(World):
    """Images of ``size`` x ``size`` pixels; nothing about the law is random."""

    size: int

    block_rows = 2_048

    n_latents = len(FACTORS)

    def structure(self) -> Structure:
        """``factors`` (n,): how many values each factor has, 0 for a continuous one."""
        counts = np.array([len(SHAPES), 0, 0, 0, 0], dtype=np.uint8)
        facts = {"factors": list(FACTORS), "picture_shape": [self.size, self.size, 1]}
        return Structure({"factors": counts}, facts)

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        shape = rng.integers(len(SHAPES), size=count)
        z = np.column_stack([shape, *(rng.uniform(*bounds, size=count) for bounds in RANGES)])
        images = draw_sprites(z, self.size)
        return {"x": images.reshape(count, -1).astype(np.float32), "z": z.astype(np.float32)}


class Sprites(SharedDraws):
    """Grey images of a square, an ellipse or a triangle of any scale, place and angle, as rows of values from 0 to 1.

    In the style of dSprites (Matthey et al., 2017), but drawn here, so nothing is downloaded. The five factors are
    independent and are the true latents: the shape (0, 1, 2), and a uniform scale, x, y and angle. The scale is the
    root of the sprite's area as a share of the frame's, from 0.2 to 0.35; x and y go from 0.31 to 0.69, so that the
    sprite never touches the frame. The angle goes from 0 to 60 degrees: the square repeats after 90, the triangle
    after 120 and the ellipse after 180 degrees, so the image always tells the angle. For other metrics than those of
    factors, mind that the shape has no order.
    """

    pictures = True

    size: int = Field(32, ge=8, le=256, description="width and height in pixels")
    samples: TrainAndTest = Field(
        TrainAndTest(train=10_000, test=2000), description="images per split", validate_default=True
    )

    def truth(self) -> tuple[str, ...]:
        return ("z",)

    def world(self, draw: int) -> SpritesWorld:
        return SpritesWorld(self.size)
