"""The scores of one run: R2 and MCC, and block scores where latents come in blocks, on every scored split."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pdgmm.errors import UserError
from pdgmm.evaluation.blocks import match_blocks
from pdgmm.evaluation.extra import extra_scores
from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import r2

SCORED_SPLITS = ("test", "unmasked", "independent")
"""Held-out samples of the training distribution, with every latent active, and without causal edges."""

LEAST_APART = 50
"""Images without overlaps that are worth a score of their own."""

DECIMALS = 6
"""Of the matrix and the lists: enough to read and to draw, and small files. R2 and MCC are not rounded."""


def scores(z: np.ndarray, z_hat: np.ndarray, blocks: np.ndarray | None = None) -> dict[str, Any]:
    """R2 and MCC of learned latents (samples, d) against true ones (samples, n), ready for JSON.

    ``assignment[i]`` is the learned latent of true latent ``i`` (-1: none), ``signs[i]`` orients it, and
    ``correlation`` is the n x d matrix of absolute correlations. With d > n there are :func:`extra_scores` too,
    and with ``blocks`` (n,), the block of every true latent, :func:`block_scores`.
    """
    match = mcc(z, z_hat)
    found = {
        "r2": r2(z, z_hat),
        "mcc": match.mcc,
        "mcc_per_latent": match.per_latent.round(DECIMALS).tolist(),
        "assignment": match.assignment.tolist(),
        "signs": match.signs.tolist(),
        "correlation": match.correlation.round(DECIMALS).tolist(),
        **extra_scores(match),
    }
    return found if blocks is None else found | block_scores(z, z_hat, blocks)


def block_scores(z: np.ndarray, z_hat: np.ndarray, blocks: np.ndarray) -> dict[str, Any]:
    """How well the learned latents belong to one block of true latents each, ready for JSON.

    ``block_r2`` is the matrix of R2 (blocks x learned latents), ``block_assignment`` the learned latents of the
    blocks one after the other, ``block_sizes`` how many belong to each, ``block_means`` the mean R2 of each.
    ``block_r2_diagonal_min`` and ``block_mcc`` are the smallest and the mean of the R2 of learned latents with
    their own blocks, ``block_r2_elsewhere_max`` is the largest with another block.
    """
    match = match_blocks(z, z_hat, blocks)
    return {
        "block_r2": match.r2.round(DECIMALS).tolist(),
        "block_r2_diagonal_min": match.smallest,
        "block_mcc": match.mean,
        "block_r2_elsewhere_max": match.largest_elsewhere,
        "block_assignment": match.assignment.tolist(),
        "block_sizes": match.sizes.tolist(),
        "block_means": match.means.tolist(),
    }


def per_ball(found: Mapping[str, Any]) -> dict[str, float]:
    """``ball_1``, ``ball_2``, …: the mean R2 of each ball's learned latents, where its coordinates are a block."""
    return {f"ball_{number}": mean for number, mean in enumerate(found.get("block_means", []), start=1)}


def score_splits(
    truth: Mapping[str, Mapping[str, np.ndarray]],
    latents: Mapping[str, np.ndarray],
    blocks: np.ndarray | None = None,
) -> dict[str, dict[str, Any]]:
    """The :func:`scores` of every scored split the dataset has.

    ``truth[split]`` holds ``z`` and, where the latents were rotated, ``source``, the latents before the
    rotation: they are scored too, under ``<split>_source``. ``latents[split]`` is the encoding of the split.
    ``apart``, where images are looked at, picks those in which nothing is hidden: they are also scored alone, under
    ``<split>_apart``. ``blocks`` (n,) is the block of every true latent, None where they are not in blocks.
    """
    result: dict[str, dict[str, Any]] = {}
    for split in SCORED_SPLITS:
        if split not in truth:
            continue
        if split not in latents:
            raise UserError(f"the dataset has the split {split!r}, its encoding is missing: encode it again")
        result[split] = scores(truth[split]["z"], latents[split], blocks)
        if "source" in truth[split]:
            result[f"{split}_source"] = scores(truth[split]["source"], latents[split], blocks)
        if (apart := truth[split].get("apart")) is not None and apart.sum() >= LEAST_APART:
            result[f"{split}_apart"] = scores(truth[split]["z"][apart], latents[split][apart], blocks)
    if not result:
        raise UserError(f"there is nothing to score: the dataset has none of {', '.join(SCORED_SPLITS)}")
    return result
