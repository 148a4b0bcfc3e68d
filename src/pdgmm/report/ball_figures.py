"""Figures of balls: images with the positions in them, and learned pairs against true positions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import hsv_to_rgb
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from pdgmm.report.figure_files import drawn, new_figure
from pdgmm.report.image_strips import IMAGE_INCHES, show_image

PANEL_INCHES = 2.2
MOST_DOTS = 1_500
"""Dots per panel: more only hide each other."""

EDGE = "#10161d"


@dataclass(frozen=True)
class LearnedPairs:
    """What a method made of the balls: ``pairs[i]`` (samples, 2) are the learned latents of ball ``i``."""

    method: str
    pairs: Sequence[np.ndarray]
    scores: Sequence[float]
    """Per ball, mean R2 of its two latents."""


@drawn
def draw_images(
    title: str, originals: np.ndarray, reconstructed: np.ndarray, true: np.ndarray, recovered: np.ndarray
) -> Figure:
    """Images (count, height, width, 3), their reconstructions, and true and recovered positions on the images.

    Both kinds of positions are (count, balls, 2) in the unit frame.
    """
    count, size = len(originals), originals.shape[1]
    figure = new_figure(IMAGE_INCHES * count + 0.9, 3 * IMAGE_INCHES + 0.7)
    axes = figure.subplots(3, count, squeeze=False)
    for column in range(count):
        for row, image in enumerate((originals, reconstructed, originals)):
            show_image(axes[row, column], image[column])
        axes[2, column].plot(
            *(true[column].T * size - 0.5), "o", mfc="none", mec=EDGE, ms=9, mew=1.0, ls="", label="true"
        )
        axes[2, column].plot(
            *(recovered[column].T * size - 0.5),
            "x",
            color="white",
            ms=5,
            mew=1.6,
            ls="",
            label="recovered",
            path_effects=[withStroke(linewidth=3.2, foreground=EDGE)],  # or it is lost on the background
        )
        axes[2, column].set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5))
    for row, label in enumerate(("image", "reconstruction", "○ true\n× recovered")):
        axes[row, 0].set_ylabel(label, fontsize=8)
    figure.suptitle(title, fontsize=10)
    return figure


@drawn
def draw_pairs(title: str, true: np.ndarray, methods: Sequence[LearnedPairs]) -> Figure:
    """A row a ball: its true positions, ``true`` (samples, balls, 2), then every method's learned pair.

    A dot has the same colour in the whole row, given by where the ball truly is: its direction from the middle is
    the hue, its distance the strength. A pair that holds the position shows the same fan of colours, turned,
    stretched or mirrored.
    """
    balls = true.shape[1]
    figure = new_figure(PANEL_INCHES * (1 + len(methods)) + 0.4, (PANEL_INCHES + 0.15) * balls + 0.7)
    axes = figure.subplots(balls, 1 + len(methods), squeeze=False)
    for ball in range(balls):
        colours = _direction_colours(true[:MOST_DOTS, ball])
        _scatter(axes[ball, 0], true[:MOST_DOTS, ball], colours)
        axes[ball, 0].invert_yaxis()
        axes[ball, 0].set_ylabel(f"ball {ball + 1}")
        for axis, method in zip(axes[ball, 1:], methods, strict=True):
            _scatter(axis, method.pairs[ball][:MOST_DOTS], colours)
            axis.set_title(f"R² {method.scores[ball]:.3f}", fontsize=8)
    axes[0, 0].set_title("true position", fontsize=9)
    for axis, method in zip(axes[0, 1:], methods, strict=True):
        axis.set_title(f"{method.method}\nR² {method.scores[0]:.3f}", fontsize=9)
    figure.suptitle(title, fontsize=11)
    return figure


def _scatter(axis: Axes, points: np.ndarray, colours: np.ndarray) -> None:
    axis.scatter(points[:, 0], points[:, 1], c=colours, s=4, linewidths=0, rasterized=True)
    axis.set(xticks=[], yticks=[], box_aspect=1)


def _direction_colours(positions: np.ndarray) -> np.ndarray:
    offset = positions - positions.mean(0)
    hue = np.arctan2(offset[:, 1], offset[:, 0]) / (2 * np.pi) % 1.0
    distance = np.linalg.norm(offset, axis=1)
    strength = np.clip(distance / (np.quantile(distance, 0.9) + 1e-12), 0.15, 1.0)
    return hsv_to_rgb(np.stack([hue, strength, np.full_like(hue, 0.85)], axis=1))
