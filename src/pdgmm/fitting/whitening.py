"""Principal components scaled to unit variance, and how many of them are signal."""

import warnings
from dataclasses import dataclass

import numpy as np

from pdgmm.errors import TooFewDirections, UserError

RELATIVE_RANK_TOLERANCE = 1e-10
"""Directions with less than this share of the largest variance are rounding errors and cannot be whitened."""

NUMERICAL_RANK = 1e-7
"""Directions with less than this share of the largest variance do not count as latents: rounding to float32 can
cause that much variance."""

CLEAR_GAP = 20.0
"""If the variance falls by this factor from one direction to the next, the signal ends there."""

UNCLEAR_GAP = 4.0
"""If the largest fall is between this factor and the clear one, it is unclear whether the signal ends there."""


@dataclass(frozen=True)
class Whitening:
    """``white = (x - mean) @ matrix.T`` has zero mean and the identity as covariance.

    ``mean`` is (x_dim,), ``matrix`` (n, x_dim), ``inverse`` (x_dim, n) with ``matrix @ inverse = 1``.
    """

    mean: np.ndarray
    matrix: np.ndarray
    inverse: np.ndarray

    def apply(self, x: np.ndarray) -> np.ndarray:
        """Whitened rows (samples, n) of ``x`` (samples, x_dim), as float32."""
        return (x - self.mean.astype(x.dtype)) @ self.matrix.T.astype(np.float32)

    @property
    def log_det(self) -> float:
        """Log of the volume factor of ``x -> white`` inside the principal subspace."""
        return float(np.log(np.linalg.svd(self.matrix, compute_uv=False)).sum())


def principal_whitening(x: np.ndarray, n_components: int, *, most: int | None = None) -> Whitening:
    """Whiten the ``n_components`` directions of largest variance of ``x`` (samples, x_dim), largest first.

    ``most`` asks for further directions, up to that many in all, if ``x`` varies in them. They are scaled like the
    last whitened one, so that small variances stay small.

    Raises :class:`UserError` if ``x`` varies in fewer than ``n_components`` directions (constant or duplicate columns
    are harmless as long as enough directions are left).
    """
    if n_components > x.shape[1]:
        raise UserError(f"cannot find {n_components} latents in {x.shape[1]} dimensions: ask for fewer")
    mean, variances, vectors = _principal_axes(x)
    rank = _rank(variances)
    if rank < n_components:
        raise TooFewDirections(
            f"the {len(x)} samples vary in only {rank} independent directions, too few for {n_components} "
            "latents: ask for fewer latents or give more samples"
        )
    kept = slice(None, -min(rank, max(n_components, most or 0)) - 1, -1)
    deviations, vectors = np.sqrt(variances[kept]), vectors[:, kept]
    deviations[n_components:] = deviations[n_components - 1]
    return Whitening(mean, (vectors / deviations).T, vectors * deviations)


def varying_directions(x: np.ndarray) -> int:
    """The number of independent directions in which ``x`` (samples, x_dim) varies."""
    _, variances, _ = _principal_axes(x)
    return _rank(variances)


def _principal_axes(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean (x_dim,) of ``x``, its principal variances (x_dim,), smallest first, and axes (x_dim, x_dim)."""
    mean = x.mean(axis=0, dtype=np.float64)
    centred = x - mean.astype(x.dtype)
    variances, vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64) / len(x))
    return mean, variances, vectors


def _rank(variances: np.ndarray) -> int:
    return int((variances > max(variances[-1], 0.0) * RELATIVE_RANK_TOLERANCE).sum())


def estimate_n_latents(x: np.ndarray) -> int:
    """The number of directions before the largest fall of the principal variances of ``x`` (samples, x_dim).

    If no fall is clear, every direction in which ``x`` varies counts. Warns if the largest fall is neither clear nor
    negligible. Curved data vary in more directions than they have latents, so for such data give the number yourself.
    """
    variances = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
    rank = int((variances > variances[0] * NUMERICAL_RANK).sum()) if variances[0] > 0 else 0
    if rank < 2:
        return rank
    falls = variances[: rank - 1] / variances[1:rank]
    place, largest = int(falls.argmax()) + 1, float(falls.max())
    if largest >= CLEAR_GAP:
        return place
    if largest >= UNCLEAR_GAP:
        warnings.warn(
            f"the number of latents is unclear: the principal variances fall by a factor of {largest:.1f} after "
            f"direction {place} of {rank}; taking {rank}. Give n_latents to decide",
            stacklevel=3,
        )
    return rank
