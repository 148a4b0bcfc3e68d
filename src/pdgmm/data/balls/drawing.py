"""Drawing balls with pygame, without a window: positions in, bytes out.

Places are in the unit frame: the first coordinate points right, the second down. A pixel covers the square between
two multiples of 1 / size. A ball hides the balls drawn before it. Images are drawn side by side on one sheet in
memory, without a display, and the sheet is read once.
"""

import os
from abc import ABC, abstractmethod
from functools import cache

import numpy as np

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame
from pygame import gfxdraw

COLOURS = ((228, 26, 28), (55, 126, 184), (77, 175, 74), (152, 78, 163), (255, 127, 0), (166, 86, 40))
"""Red, blue, green, purple, orange, brown: one colour per ball, for up to six balls."""

BACKGROUND = (255, 255, 255)

IMAGES_PER_SHEET = 128

PHASES = 32
"""A ball with soft edges is drawn at this many places within a pixel along each axis: at most 1/64 pixel off."""


class Renderer(ABC):
    """Draws scenes of balls of radius ``radius`` (of the frame) as ``size`` x ``size`` pixels."""

    def __init__(self, size: int, radius: float) -> None:
        self.size = size
        self.radius = radius
        self._sheet = pygame.Surface((size, size * IMAGES_PER_SHEET), depth=32)
        # Parts of the sheet: drawings on one part are cut at its edges.
        self._images = [
            self._sheet.subsurface((0, size * number, size, size)) for number in range(IMAGES_PER_SHEET)
        ]

    def draw(self, positions: np.ndarray) -> np.ndarray:
        """Images (count, size, size, 3), bytes, of ``positions`` (count, balls, 2)."""
        drawn = np.empty((len(positions), self.size, self.size, 3), np.uint8)
        for begin in range(0, len(positions), IMAGES_PER_SHEET):
            self._sheet.fill(BACKGROUND)
            scenes = positions[begin : begin + IMAGES_PER_SHEET]
            self._draw_scenes(scenes)
            sheet = np.frombuffer(pygame.image.tobytes(self._sheet, "RGB"), np.uint8)
            drawn[begin : begin + len(scenes)] = sheet.reshape(-1, *drawn.shape[1:])[: len(scenes)]
        return drawn

    @abstractmethod
    def _draw_scenes(self, scenes: np.ndarray) -> None:
        """Draw ``scenes`` (images, balls, 2), one image per scene, the first ball first."""


class IntegerRenderer(Renderer):
    """Hard-edged circles around whole pixels, as the paper's authors drew them: positions are rounded off."""

    def _draw_scenes(self, scenes: np.ndarray) -> None:
        radius = int(self.radius * self.size)
        for image, scene in zip(self._images, (scenes * self.size).astype(int).tolist(), strict=False):
            for (x, y), colour in zip(scene, COLOURS, strict=False):
                gfxdraw.filled_circle(image, x, y, radius, colour)


class SubpixelRenderer(Renderer):
    """Circles with soft edges around the place itself."""

    def _draw_scenes(self, scenes: np.ndarray) -> None:
        pixels, phases = np.divmod(np.rint(scenes * self.size * PHASES).astype(int), PHASES)
        radius = self.radius * self.size
        corners = (pixels - _margin(radius)).tolist()
        numbers = (phases[..., 0] * PHASES + phases[..., 1]).tolist()
        sprites = [_sprites(radius, colour) for colour in COLOURS[: scenes.shape[1]]]
        for image, scene, kinds in zip(self._images, corners, numbers, strict=False):
            for corner, kind, ball in zip(scene, kinds, sprites, strict=True):
                image.blit(ball[kind], corner)


RENDERERS: dict[str, type[Renderer]] = {"integer": IntegerRenderer, "subpixel": SubpixelRenderer}


@cache
def _sprites(radius: float, colour: tuple[int, int, int]) -> list[pygame.Surface]:
    """Small pictures of a ball, one for every place within a pixel, sorted by x and then by y.

    The opacity of a pixel is the share of it that the ball covers, to first order in the ball's edge.
    """
    margin = _margin(radius)
    side = 2 * margin + 1
    middle = np.arange(side) + 0.5
    places = margin + np.arange(PHASES) / PHASES
    offsets = (middle - places[:, None]) ** 2
    distance = np.sqrt(offsets[:, None, :, None] + offsets[None, :, None, :])
    opacity = np.rint(255 * np.clip(radius + 0.5 - distance, 0, 1)).astype(np.uint8)
    sprites = []
    for alpha in opacity.reshape(-1, side, side):
        sprite = pygame.Surface((side, side), pygame.SRCALPHA)
        sprite.fill(colour)
        pygame.surfarray.pixels_alpha(sprite)[...] = alpha
        sprites.append(sprite)
    return sprites


def _margin(radius: float) -> int:
    return int(np.ceil(radius)) + 1
