"""Linear agreement of two sets of latents, fitted on some samples and measured on others."""

import numpy as np

from pdgmm.evaluation.correlation import centred

RANK_TOLERANCE = 1e-10
"""Directions with a smaller share of the largest singular value of standardised columns are no directions."""

Pair = tuple[np.ndarray, np.ndarray]
"""Columns (samples, a) and (samples, b) of the same samples."""


def held_out_canonical_correlations(fit: Pair, measure: Pair) -> np.ndarray:
    """The canonical correlations (min(a, b),) of two sets of columns, largest first, out of sample.

    In closed form: with whitened columns ``A`` and ``B`` the singular vectors of ``A^T B = U S V^T`` give the
    canonical variables ``A U`` and ``B V`` (Björck and Golub, 1973). A set that varies in fewer directions than it
    has columns leaves correlations of 0.
    """
    map_a, map_b = map(_whitening, fit)
    left, _, right = np.linalg.svd(
        (_at_zero(fit[0]) @ map_a).T @ (_at_zero(fit[1]) @ map_b), full_matrices=False
    )
    correlations = _columnwise(measure[0] @ map_a @ left, measure[1] @ map_b @ right.T)
    missing = min(fit[0].shape[1], fit[1].shape[1]) - len(correlations)
    return np.sort(np.append(np.abs(correlations), np.zeros(missing)))[::-1]


def held_out_prediction(fit: Pair, measure: Pair) -> np.ndarray:
    """The absolute correlation (a,) of every first column with its best linear prediction from the second ones.

    A canonical correlation analysis with all components keeps everything that is linear, so predicting from its
    variables is predicting from the columns themselves: least squares on the samples to fit on.
    """
    map_b = _whitening(fit[1])
    weights = (_at_zero(fit[1]) @ map_b).T @ _at_zero(fit[0])
    return np.abs(_columnwise(measure[0], measure[1] @ map_b @ weights))


def _whitening(columns: np.ndarray) -> np.ndarray:
    """(d, rank) such that the centred columns (samples, d) times it are orthonormal."""
    around = _at_zero(columns)
    size = np.linalg.norm(around, axis=0)
    size = np.where(size > 0, size, 1.0)
    _, singular, axes = np.linalg.svd(around / size, full_matrices=False)
    kept = singular > singular.max(initial=0.0) * RANK_TOLERANCE
    return axes[kept].T / size[:, None] / singular[kept]


def _at_zero(columns: np.ndarray) -> np.ndarray:
    return columns - columns.mean(axis=0)


def _columnwise(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The correlation of each column of ``a`` with the same one of ``b``; 0 where one is constant."""
    a, b = centred(a), centred(b)
    norms = np.linalg.norm(a, axis=0) * np.linalg.norm(b, axis=0)
    return (a * b).sum(axis=0) / np.where(norms > 0, norms, 1.0)
