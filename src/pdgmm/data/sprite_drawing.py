"""Small grey images of one sprite: shape, size, place and angle in, pixels out.

Places are in the unit frame: x points right, y down. A pixel covers the square between two multiples of 1 / size, and
its grey value is the share of it that the sprite covers, to first order in the sprite's edge. So values change
smoothly with every factor, except for the shape.
"""

import numpy as np

HALF_WIDE, HALF_HIGH = np.sqrt(2 / np.pi), np.sqrt(0.5 / np.pi)
"""Half axes of the ellipse, one twice the other."""

NORMALS = np.array([[0.0, 1.0], [np.sqrt(0.75), -0.5], [-np.sqrt(0.75), -0.5]])
"""Directions from the middle of the triangle to its sides."""

TO_SIDE = 3**-0.75
"""Distance from the middle of the triangle to its sides."""


def square(points: np.ndarray) -> np.ndarray:
    """Signed distance (...) of points (..., 2) from the edge of the unit square around 0; negative inside."""
    return np.abs(points).max(axis=-1) - 0.5


def ellipse(points: np.ndarray) -> np.ndarray:
    """The same for an ellipse of area 1, to first order: ``k (k - 1) / |p / r^2|`` with ``k = |p / r|``."""
    scaled = points / (HALF_WIDE, HALF_HIGH)
    k = np.linalg.norm(scaled, axis=-1)
    slope = np.linalg.norm(scaled / (HALF_WIDE, HALF_HIGH), axis=-1)
    # In the middle the slope is 0; the value there only has to be far inside.
    return np.where(slope > 1e-9, k * (k - 1) / np.maximum(slope, 1e-9), -HALF_HIGH)


def triangle(points: np.ndarray) -> np.ndarray:
    """The same for a triangle of area 1 with equal sides."""
    return (points @ NORMALS.T).max(axis=-1) - TO_SIDE


SHAPES = (square, ellipse, triangle)
"""All have area 1 and lie within 0.88 of their middle. They repeat after a turn by 90, 180 and 120 degrees."""


def draw_sprites(factors: np.ndarray, size: int) -> np.ndarray:
    """Images (count, size, size) with values from 0 to 1, of ``factors`` (count, 5).

    The columns are the number of the shape in :data:`SHAPES`; the scale, which is the root of the sprite's area; x;
    y; and the angle in radians, from x towards y.
    """
    shape, scale, x, y, angle = factors.T[..., None, None]
    middles = (np.arange(size) + 0.5) / size
    right, down = middles[None, None, :] - x, middles[None, :, None] - y
    cos, sin = np.cos(angle), np.sin(angle)
    # Into the sprite's own frame, in which its area is 1.
    points = np.stack([cos * right + sin * down, cos * down - sin * right], axis=-1) / scale[..., None]
    images = np.empty(points.shape[:-1])
    for number, distance in enumerate(SHAPES):
        chosen = shape[:, 0, 0] == number
        images[chosen] = np.clip(0.5 - size * scale[chosen] * distance(points[chosen]), 0, 1)
    return images
