"""Draw small images from every component of a fit's mixture, and held-out images with their reconstructions."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from pdgmm.errors import UserError
from pdgmm.evaluation.mixture_agreement import CLAIMS, claimed_mixture
from pdgmm.evaluation.mixture_distance import GaussianMixture
from pdgmm.models.chain_decoding import ChainDecoder
from pdgmm.models.model_files import load_model
from pdgmm.report.figure_files import drawn, new_figure, save_figures
from pdgmm.seeds import child_generator
from pdgmm.store import hdf5
from pdgmm.store.splits import MAIN

SAMPLES = 6
"""Images drawn from each component."""

PAIRS = 4
"""Held-out images of each component, each beside its reconstruction."""

GAP = 2
"""White pixels between two images."""

ROW_INCHES = 0.36


class Assigned(NamedTuple):
    """What a component (its number) has: the held-out images assigned to it, and how sure that is on average."""

    component: int
    images: np.ndarray
    confidence: float


def draw_mixture_images(dataset: Path, latents: Path, stem: Path) -> None:
    """Write ``<stem>.svg`` and ``.png``: one row per component of the mixture that a fit claims for its code.

    ``latents`` is ``<chain>/latents.h5``; the models of the chain's parts are in its folder and in those beside it.
    For a failed fit the figure only says why.
    """
    with hdf5.opened(dataset, "dataset") as file:
        shape = hdf5.about(file, "facts")["picture_shape"]
        title = f"{dataset.parent.name}, seed {hdf5.about(file, 'seed')}, {latents.parent.name}"
        x = file[MAIN]["x"][()]
    with hdf5.opened(latents, "latents") as file:
        codes = file[MAIN]["z_hat"][()] if MAIN in file else None
        reason = hdf5.about(file, "reason")
    if codes is None:
        save_figures(draw_components(f"{title}\nthe fit failed: {reason}", [], []), stem)
        return
    claims = load_model(latents.parent).claims
    if not set(CLAIMS) <= set(claims):
        raise UserError(
            f"{latents.parent.name} claims no mixture for its code: take it out of the experiment's `mixture_images`"
        )
    mixture, decode = claimed_mixture(claims), ChainDecoder(latents.parent)
    rng = child_generator(0, "images of components")
    blocks, names = [], []
    for component, images, confidence in assigned(mixture, codes):
        drawn_codes = rng.multivariate_normal(
            mixture.means[component], mixture.covariances[component], size=SAMPLES
        )
        # Spread over the component's images: datasets may be sorted by digit.
        shown = images[:: max(1, len(images) // PAIRS)][:PAIRS]
        pairs = np.ones((2 * PAIRS, x.shape[1]))
        pairs[: 2 * len(shown) : 2] = x[shown]
        if len(shown):
            pairs[1 : 2 * len(shown) : 2] = decode(codes[shown])
        blocks.append([block.reshape(-1, *shape) for block in (decode(drawn_codes), pairs)])
        names.append(f"{confidence:.2f} ({len(images)})" if len(images) else "– (0)")
    save_figures(draw_components(title, blocks, names), stem)


def assigned(mixture: GaussianMixture, codes: np.ndarray) -> list[Assigned]:
    """The components, the surest first; each code (samples, d) is assigned to its most probable component."""
    parts = zip(*mixture, strict=True)
    joint = np.stack(
        [np.log(w) + multivariate_normal(m, c).logpdf(codes) for w, m, c in parts], axis=1
    ).reshape(len(codes), -1)
    gamma = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    chosen = gamma.argmax(axis=1)
    found = []
    for component in range(gamma.shape[1]):
        images = np.flatnonzero(chosen == component)
        confidence = float(gamma[images, component].mean()) if len(images) else -1.0
        found.append(Assigned(component, images, confidence))
    return sorted(found, key=lambda one: -one.confidence)


@drawn
def draw_components(title: str, blocks: list[list[np.ndarray]], names: list[str]) -> Figure:
    """Two panels: each has one row per component, images (count, height, width, colours) with values from 0 to 1."""
    figure = new_figure(ROW_INCHES * (SAMPLES + 2 * PAIRS) + 1.6, ROW_INCHES * max(1, len(blocks)) + 1.0)
    figure.suptitle(title, fontsize=10)
    if not blocks:
        return figure
    axes = figure.subplots(1, 2, width_ratios=(SAMPLES, 2 * PAIRS))
    heads = ("drawn from the component", "held-out images | their reconstructions")
    for axis, head, rows in zip(axes, heads, zip(*blocks, strict=True), strict=True):
        image = mosaic(rows)
        axis.imshow(np.broadcast_to(image, (*image.shape[:2], 3)), interpolation="nearest")
        height = rows[0].shape[1]
        axis.set(title=head, xticks=[], yticks=[])
        axis.title.set_fontsize(9)
        axis.spines[:].set_visible(False)
    places = np.arange(len(names)) * (height + GAP) + height / 2
    axes[0].set_yticks(places, names, fontsize=7)
    axes[0].tick_params(length=0)
    axes[0].set_ylabel("mean probability of the component (its held-out images)")
    return figure


def mosaic(rows: tuple[np.ndarray, ...]) -> np.ndarray:
    """Rows of images (count, height, width, colours) as one image, with white gaps between them."""
    padded = [np.pad(row, ((0, 0), (0, GAP), (0, GAP), (0, 0)), constant_values=1.0) for row in rows]
    return np.clip(np.concatenate([np.concatenate(list(row), axis=1) for row in padded]), 0, 1)
