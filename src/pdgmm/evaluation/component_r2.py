"""R2 of single latents up to a curve: identification up to permutation and an element-wise function."""

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from pdgmm.evaluation.base import DECIMALS, Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import UNMATCHED, checked_pair, standardised
from pdgmm.evaluation.rotated_latents import rotated_latents

DEGREE = 3
ROTATIONS = 10


def component_r2(z: np.ndarray, z_hat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """R2 of every true latent (samples, n) from its learned one (samples, d), and the whole matrix (n, d).

    Each true latent is regressed on a cubic of each learned one, on the even rows. The Hungarian algorithm matches
    learned to true latents by the R2 on these rows, and the odd rows are scored. A latent that is predicted worse
    than by its mean, or that has no partner, counts as 0. The matrix is that of the odd rows.
    """
    z, z_hat = checked_pair(z, z_hat)
    z, z_hat = standardised(z), standardised(z_hat)
    design = z_hat.T[:, :, None] ** np.arange(DEGREE + 1)  # (d, samples, 4)
    # A basis of the fitted rows; the pseudo-inverse drops the powers of a constant latent.
    coefficients = np.linalg.pinv(design[:, ::2]) @ z[::2]
    fitted, scored = (
        _r2(z[part], design[:, part] @ coefficients) for part in (slice(0, None, 2), slice(1, None, 2))
    )
    assignment = np.full(z.shape[1], UNMATCHED)
    true, learned = linear_sum_assignment(fitted, maximize=True)
    assignment[true] = learned
    each = np.zeros(z.shape[1])
    each[true] = scored[true, learned]
    return each, scored


def _r2(z: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """R2 (n, d), at least 0, of latents (samples, n) and predictions (d, samples, n)."""
    total = ((z - z.mean(axis=0)) ** 2).sum(axis=0)
    residual = ((z - predicted) ** 2).sum(axis=1)
    return np.clip(1 - residual / np.where(total > 0, total, np.inf), 0.0, 1.0).T


def chance_of_component_r2(z: np.ndarray) -> float:
    """The mean R2 of true latents (samples, n) after they are decorrelated and rotated at random, ten times."""
    turned = rotated_latents(z, ROTATIONS, "chance of the R2 of components")
    values = [component_r2(z, code)[0].mean() for code in turned]
    return float(np.mean(values)) if values else 0.0


class ComponentR2(Metric):
    """For data whose latents can be found only up to an element-wise function; they say so by ``monotone``."""

    truth = frozenset({"z", "monotone"})
    columns = (
        Column(
            "component_r2",
            "R² of single latents by cubics",
            chance="component_r2_chance",
            on_every_split=True,
        ),
    )

    def scores(self, split: ScoredSplit) -> dict[str, Any]:
        """The mean, its chance level, the value of every true latent, and the matrix for heatmaps."""
        each, matrix = component_r2(split.truth["z"], split.z_hat)
        return {
            "component_r2": float(each.mean()),
            "component_r2_chance": chance_of_component_r2(split.truth["z"]),
            "component_r2_per_latent": each.round(DECIMALS).tolist(),
            "component_r2_matrix": matrix.round(DECIMALS).tolist(),
        }
