"""Images in figures, and strips of images along which one latent changes."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pdgmm.report.figure_files import drawn, new_figure

IMAGE_INCHES = 1.15
QUANTILES = np.array([0.02, 0.15, 0.3, 0.5, 0.7, 0.85, 0.98])
"""The quantiles of a latent that a traversal goes through."""


def traversal(latents: np.ndarray, latent: int, around: np.ndarray | None = None) -> np.ndarray:
    """Latents (steps, n) of a traversal: one latent goes through its quantiles, the others stay at ``around`` (n,).

    Quantiles, and the medians that ``around`` is by default, are those of ``latents`` (samples, n).
    """
    path = np.tile(np.median(latents, axis=0) if around is None else around, (len(QUANTILES), 1))
    path[:, latent] = np.quantile(latents[:, latent], QUANTILES)
    return path


@drawn
def draw_traversals(title: str, strips: np.ndarray, names: Sequence[str]) -> Figure:
    """One strip of images per latent, ``strips`` (latents, steps, height, width, 3), from low to high values."""
    latents, steps = strips.shape[:2]
    figure = new_figure(IMAGE_INCHES * steps + 1.2, IMAGE_INCHES * latents + 0.7)
    axes = figure.subplots(latents, steps, squeeze=False)
    for row in range(latents):
        for column in range(steps):
            show_image(axes[row, column], strips[row, column])
        axes[row, 0].set_ylabel(names[row], fontsize=8)
    figure.suptitle(title, fontsize=10)
    return figure


def show_image(axis: Axes, image: np.ndarray) -> None:
    """Draw an image (height, width, 3) with values from 0 to 255."""
    axis.imshow(np.clip(image, 0, 255).astype(np.uint8), interpolation="nearest")
    axis.set(xticks=[], yticks=[])
