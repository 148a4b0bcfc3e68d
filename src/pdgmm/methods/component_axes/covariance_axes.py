"""Theorem E.1 of Kivva et al. (2022): axes along which the covariances of all components are diagonal."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.linalg import eigh

from pdgmm.methods.domains.joint_diagonalisation import jointly_diagonalise


@dataclass(frozen=True)
class CovarianceAxes:
    """Rows ``directions`` (n, n): ``directions @ z`` are single latents, up to order, sign, scale and shift."""

    directions: np.ndarray
    ratios: np.ndarray
    """(n,) generalised eigenvalues of the pair of components that tells the latents apart best, in rising order."""
    pair: tuple[int, int]
    gap: float
    """The smallest distance between neighbouring log eigenvalues: 0 if two latents cannot be told apart."""


def pair_axes(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows w (n, n) and eigenvalues (n,) of ``other w = lambda one w``, for covariances (n, n).

    If ``z = A s + b`` and both covariances of s are diagonal, ``one = A D_1 A^T`` and ``other = A D_2 A^T``. Then
    every row of ``A^-1`` is an eigenvector; its eigenvalue is the ratio of the two variances of its latent. If these
    ratios are distinct, there are no other eigenvectors.
    """
    ratios, vectors = eigh(other, one)
    return vectors.T, ratios


def covariance_axes(covariances: np.ndarray, weights: np.ndarray | None = None) -> CovarianceAxes:
    """The axes along which ``covariances`` (K, n, n), K at least 2, are all as diagonal as can be.

    Two components: the generalised eigenvectors of the theorem. Estimated covariances of more components are
    diagonalised together, which is the map of largest likelihood for a mixture whose components are diagonal
    (:func:`pdgmm.methods.domains.joint_diagonalisation.jointly_diagonalise`). ``weights`` (K,) are the shares of the
    components.
    """
    covariances = np.asarray(covariances, dtype=float)
    count = len(covariances)
    if count < 2:
        raise ValueError("one component has no axes: at least two are needed")
    weights = np.full(count, 1 / count) if weights is None else np.asarray(weights, dtype=float)
    best = None
    for one, other in combinations(range(count), 2):
        directions, ratios = pair_axes(covariances[one], covariances[other])
        gap = float(np.diff(np.log(ratios)).min()) if len(ratios) > 1 else np.inf
        # The covariance of a small component is estimated poorly, so its gap counts less.
        trust = gap * np.sqrt(min(weights[one], weights[other]))
        if best is None or trust > best[0]:
            best = trust, CovarianceAxes(directions, ratios, (one, other), gap)
    together = jointly_diagonalise(covariances, weights / weights.sum())
    return replace(best[1], directions=together.unmixing)
