"""The scores of one run: R2 and MCC on every split that is scored."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import r2

SCORED_SPLITS = ("test", "unmasked", "independent")
"""Held-out samples of the training distribution, with every latent active, and without causal edges."""

DECIMALS = 6
"""Of the matrix and the lists: enough to read and to draw, and small files. R2 and MCC are not rounded."""


def scores(z: np.ndarray, z_hat: np.ndarray) -> dict[str, Any]:
    """R2 and MCC of learned latents (samples, d) against true ones (samples, n), ready for JSON.

    ``assignment[i]`` is the learned latent of true latent ``i`` (-1: none), ``signs[i]`` orients it, and
    ``correlation`` is the n x d matrix of absolute correlations.
    """
    match = mcc(z, z_hat)
    return {
        "r2": r2(z, z_hat),
        "mcc": match.mcc,
        "mcc_per_latent": match.per_latent.round(DECIMALS).tolist(),
        "assignment": match.assignment.tolist(),
        "signs": match.signs.tolist(),
        "correlation": match.correlation.round(DECIMALS).tolist(),
    }


def score_splits(
    truth: Mapping[str, Mapping[str, np.ndarray]], latents: Mapping[str, np.ndarray]
) -> dict[str, dict[str, Any]]:
    """The :func:`scores` of every scored split the dataset has.

    ``truth[split]`` holds ``z`` and, where the latents were rotated, ``source``, the latents before the
    rotation: they are scored too, under ``<split>_source``. ``latents[split]`` is the encoding of the split.
    """
    result: dict[str, dict[str, Any]] = {}
    for split in SCORED_SPLITS:
        if split not in truth:
            continue
        if split not in latents:
            raise UserError(f"the dataset has the split {split!r}, its encoding is missing: encode it again")
        result[split] = scores(truth[split]["z"], latents[split])
        if "source" in truth[split]:
            result[f"{split}_source"] = scores(truth[split]["source"], latents[split])
    if not result:
        raise UserError(f"there is nothing to score: the dataset has none of {', '.join(SCORED_SPLITS)}")
    return result
