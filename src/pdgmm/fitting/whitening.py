"""Principal components scaled to unit variance."""

from dataclasses import dataclass

import numpy as np

from pdgmm.errors import TooFewDirections, UserError

RELATIVE_RANK_TOLERANCE = 1e-10
"""Directions with less than this share of the largest variance are rounding error: the input is float32."""


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

    ``most`` asks for further directions, up to that many in all, as far as ``x`` varies in them. They are scaled
    like the last whitened one, so that what is small in them stays small.

    Raises :class:`UserError` where ``x`` varies in fewer directions than that (constant or duplicate columns
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
