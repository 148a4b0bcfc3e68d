"""What each latent moves in images."""

from collections.abc import Collection
from pathlib import Path

import numpy as np

from pdgmm.analysis.fitting.manifest import Manifest
from pdgmm.estimator import PDGMM
from pdgmm.report.figure_files import save_figures
from pdgmm.report.image_strips import draw_traversals, traversal

MOST_LATENTS = 20


def draw_latent_traversals(
    stem: Path, manifest: Manifest, reference: PDGMM, rows: np.ndarray, trusted: Collection[int]
) -> None:
    """Write ``<stem>.svg`` and ``.png``: a strip of images a latent, from its low to its high values.

    The trusted latents come first; at most ``MOST_LATENTS`` are drawn.
    """
    latents = reference.transform(rows)
    numbers = range(1, latents.shape[1] + 1)
    shown = sorted(numbers, key=lambda latent: latent not in trusted)[:MOST_LATENTS]
    strips = []
    for latent in shown:
        images = manifest.restored(reference.inverse_transform(traversal(latents, latent - 1)))
        strips.append(_as_colours(images.reshape(-1, *manifest.image_shape)))
    names = [f"latent {latent}" + ("" if latent in trusted else " ?") for latent in shown]
    title = "What moves when one latent goes from its low to its high values"
    figure = draw_traversals(title, np.stack(strips), names)
    save_figures(figure, stem)


def _as_colours(images: np.ndarray) -> np.ndarray:
    """Images from 0 to 255 with three channels; small values, as of data scaled to 16 grey levels, are stretched."""
    highest = 255 if images.max() > 32 else max(float(images.max()), 1.0)
    images = np.clip(images / highest * 255, 0, 255)
    return np.repeat(images, 3, axis=-1) if images.shape[-1] == 1 else images[..., :3]
