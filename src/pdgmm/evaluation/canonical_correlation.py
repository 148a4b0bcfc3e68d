"""Canonical correlation analysis in closed form: whitening and one singular value decomposition."""

from dataclasses import dataclass

import numpy as np

from pdgmm.evaluation.correlation import checked_pair

RELATIVE_RANK = 1e-9
"""Directions whose deviation is below this share of the largest one count as rounding errors."""


@dataclass(frozen=True)
class CanonicalPairs:
    """Affine maps of two codes, (d, r) and (e, r), under which their coordinates match one by one.

    On the samples they were fitted to, all coordinates have variance 1. Only matching coordinates are correlated,
    with ``correlations`` (r,), the largest first.
    """

    one: np.ndarray
    other: np.ndarray
    means: tuple[np.ndarray, np.ndarray]
    correlations: np.ndarray

    def apply(self, one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The images (samples, r) of both codes."""
        return (one - self.means[0]) @ self.one, (other - self.means[1]) @ self.other


def canonical_pairs(one: np.ndarray, other: np.ndarray) -> CanonicalPairs:
    """The canonical pairs of codes (samples, d) and (samples, e) of the same samples; r is the smaller rank.

    Hotelling (1936): with both codes whitened to ``U`` and ``V``, the pairs are the singular vectors of ``U^T V /
    samples`` and the correlations its singular values. There is no iteration, so the order of the columns does not
    matter.
    """
    one, other = checked_pair(one, other)
    means = one.mean(axis=0), other.mean(axis=0)
    (u, to_u), (v, to_v) = _whitened(one - means[0]), _whitened(other - means[1])
    left, correlations, right = np.linalg.svd(u.T @ v / len(one), full_matrices=False)
    return CanonicalPairs(to_u @ left, to_v @ right.T, means, np.clip(correlations, 0.0, 1.0))


def _whitened(centred: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The whitened rows (samples, r) and the map (d, r) to them."""
    _, deviations, axes = np.linalg.svd(centred / np.sqrt(len(centred)), full_matrices=False)
    kept = deviations > RELATIVE_RANK * max(deviations[0], np.finfo(float).tiny)
    to_white = axes[kept].T / deviations[kept]
    return centred @ to_white, to_white
