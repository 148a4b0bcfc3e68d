"""How well the components of the mixture were found: their supports against the true ones."""

import numpy as np


def support_scores(
    masks: np.ndarray, supports: np.ndarray, weights: np.ndarray, assignment: np.ndarray
) -> dict[str, float | int]:
    """Precision and recall of ``supports`` (count, learned latents) against ``masks`` (components, n).

    Both say which latents are active in a component; a support counts only if all of it is right.
    ``assignment`` (n,) is the learned latent of every true one. ``precision`` is the share of the found supports
    that are true, ``recall`` the share of the true ones that were found, and ``true_weight`` the share of the
    samples, as ``weights`` (count,) estimate it, that falls to true supports.
    """
    true = {tuple(row) for row in masks.astype(bool).tolist()}
    found = [tuple(row) for row in supports.astype(bool)[:, assignment].tolist()]
    right = np.array([support in true for support in found], dtype=bool)
    return {
        "precision": float(right.mean()) if found else 0.0,
        "recall": len(true & set(found)) / len(true),
        "true_weight": float(weights[right].sum()),
        "found": len(found),
        "components": len(true),
    }
