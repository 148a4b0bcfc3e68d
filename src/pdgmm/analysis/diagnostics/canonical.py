"""Linear agreement of two sets of latents, fitted on some samples and measured on others."""

import numpy as np

from pdgmm.evaluation.correlation import centred

RANK_TOLERANCE = 1e-10
"""Directions with a smaller share of the largest singular value of standardised columns are no directions."""


def held_out_canonical_correlations(
    first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """The canonical correlations (min(a, b),) of two sets of columns, largest first, out of sample.

    ``first`` and ``second`` hold the columns of the samples to fit on, (s, a) and (s, b), and of those to measure
    on, (t, a) and (t, b). In closed form: with whitened columns ``A`` and ``B`` the singular vectors of
    ``A^T B = U S V^T`` give the canonical variables ``A U`` and ``B V`` (Björck and Golub, 1973). A set that varies
    in fewer directions than it has columns leaves correlations of 0.
    """
    (fit_a, measure_a), (fit_b, measure_b) = first, second
    map_a, map_b = _whitening(fit_a), _whitening(fit_b)
    left, _, right = np.linalg.svd(
        (_at_zero(fit_a) @ map_a).T @ (_at_zero(fit_b) @ map_b), full_matrices=False
    )
    correlations = _columnwise(measure_a @ map_a @ left, measure_b @ map_b @ right.T)
    missing = min(fit_a.shape[1], fit_b.shape[1]) - len(correlations)
    return np.sort(np.append(np.abs(correlations), np.zeros(missing)))[::-1]


def held_out_prediction(
    target: tuple[np.ndarray, np.ndarray], source: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """The absolute correlation (n,) of every target with its best linear prediction from the source, out of sample.

    A canonical correlation analysis with all components keeps everything that is linear, so predicting from its
    variables is predicting from the columns themselves: least squares on the first samples of each pair.
    """
    (fit_y, measure_y), (fit_x, measure_x) = target, source
    map_x = _whitening(fit_x)
    weights = (_at_zero(fit_x) @ map_x).T @ _at_zero(fit_y)
    return np.abs(_columnwise(measure_y, measure_x @ map_x @ weights))


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
