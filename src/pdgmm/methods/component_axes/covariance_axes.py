"""Theorem E.1 of Kivva et al. (2022): axes along which the covariances of all components are diagonal."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.linalg import eigh

ROUNDS = 200
TOLERANCE = 1e-10


@dataclass(frozen=True)
class CovarianceAxes:
    """Rows ``directions`` (n, n): ``directions @ z`` are single latents, up to order, sign, scale and shift."""

    directions: np.ndarray
    ratios: np.ndarray
    """(n,) generalised eigenvalues of the pair of components that tells the latents apart best, rising."""
    pair: tuple[int, int]
    gap: float
    """The smallest distance of its neighbouring log eigenvalues: 0 where two latents cannot be told apart."""


def pair_axes(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows w (n, n) and eigenvalues (n,) of ``other w = lambda one w``, for covariances (n, n).

    If ``z = A s + b`` and both covariances of s are diagonal, ``one = A D_1 A^T`` and ``other = A D_2 A^T``. Then
    every row of ``A^-1`` is an eigenvector, with the ratio of the two variances of its latent as eigenvalue, and the
    only one where the ratios are distinct.
    """
    ratios, vectors = eigh(other, one)
    return vectors.T, ratios


def covariance_axes(covariances: np.ndarray, weights: np.ndarray | None = None) -> CovarianceAxes:
    """The axes along which ``covariances`` (K, n, n), K at least 2, are all as diagonal as can be.

    Starts at the eigenvectors of the pair of components whose eigenvalues are furthest apart, which is exact where
    the theorem's assumptions hold exactly. Estimated covariances are then diagonalised together:
    ``sum_k weights_k [log det diag(W S_k W^T) - log det(W S_k W^T)]`` is minimised over W by the rotations of
    Pham (2001), which is the likelihood of a mixture with diagonal covariances. ``weights`` (K,) are the shares
    of the components.
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
        # A small component has a poor covariance: its gap counts less.
        trust = gap * np.sqrt(min(weights[one], weights[other]))
        if best is None or trust > best[0]:
            best = trust, CovarianceAxes(directions, ratios, (one, other), gap)
    found = best[1]
    together = jointly_diagonal(covariances, weights, found.directions)
    return CovarianceAxes(together, found.ratios, found.pair, found.gap)


def off_diagonality(directions: np.ndarray, covariances: np.ndarray, weights: np.ndarray) -> float:
    """``sum_k weights_k [log det diag(W S_k W^T) - log det(W S_k W^T)]``: 0 where all are diagonal, else above."""
    turned = directions @ covariances @ directions.T
    diagonals = np.log(np.diagonal(turned, axis1=1, axis2=2)).sum(axis=1)
    return float(weights @ (diagonals - np.linalg.slogdet(turned)[1]))


def jointly_diagonal(covariances: np.ndarray, weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Directions (n, n) that minimise :func:`off_diagonality`, from ``start``; never worse than it.

    Quasi-Newton steps in the multiplicative form ``W <- (1 + E) W`` (Pham, 2001; Ablin et al., 2019): with
    ``C_k = W S_k W^T``, gradient ``G_ij = mean_k C_k,ij / C_k,ii`` off the diagonal and Hessian
    ``H_ij = mean_k C_k,jj / C_k,ii``, each pair (i, j) is a system of two equations. Steps are halved until the
    value falls.
    """
    directions = np.array(start, dtype=float)
    weights = weights / weights.sum()
    value = off_diagonality(directions, covariances, weights)
    for _ in range(ROUNDS):
        turned = directions @ covariances @ directions.T
        scales = np.diagonal(turned, axis1=1, axis2=2)
        gradient = np.einsum("k,kij,ki->ij", weights, turned, 1 / scales)
        np.fill_diagonal(gradient, 0)
        curvature = np.einsum("k,kj,ki->ij", weights, scales, 1 / scales)
        determinant = np.maximum(curvature * curvature.T - 1, 1e-3)
        step = -(gradient * curvature.T - gradient.T) / determinant
        np.fill_diagonal(step, 0)
        size = 1.0
        while size > 1e-6:
            tried = directions + size * step @ directions
            new = off_diagonality(tried, covariances, weights)
            if np.isfinite(new) and new < value:
                break
            size /= 2
        else:
            break
        directions, fallen, value = tried, value - new, new
        if fallen < TOLERANCE:
            break
    return directions
