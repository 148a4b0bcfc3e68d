"""The mixing function: how hidden variables become an observation, and the way back."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, logit

from pdgmm.errors import UserError

Activation = Literal["leaky", "smooth_leaky", "sigmoid"]

SMALLEST_SLOPE, LARGEST_SLOPE = 0.5, 1.5


@dataclass(frozen=True)
class Mixing:
    """An injective map from R^n to R^x_dim made of ``m`` linear layers with an activation between them.

    ``h = z W_0``, then for l = 1 … m-1: ``h <- f_l(h) W_l``. Every ``W_l`` has orthonormal rows, so
    ``W_l W_l^T = I``. With slope ``a = slopes[l-1]`` the activation f_l is

    - ``leaky``: max(a h, h), which makes the mixing piecewise affine;
    - ``smooth_leaky``: a h + (1 - a) log(1 + e^h);
    - ``sigmoid``: 1 / (1 + e^-h), which has no slope.

    Shapes: ``embedding`` is W_0 (n, x_dim), ``weights`` are W_1 … W_{m-1} (m-1, x_dim, x_dim), ``slopes``
    (m-1,).
    """

    embedding: np.ndarray
    weights: np.ndarray
    slopes: np.ndarray
    activation: Activation = "leaky"

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """Observations (count, x_dim), float64, of latents (count, n)."""
        h = np.asarray(z, dtype=np.float64) @ self.embedding
        for slope, weight in zip(self.slopes, self.weights, strict=True):
            h = _activate(h, slope, self.activation) @ weight
        return h

    def inverse(self, x: np.ndarray) -> np.ndarray:
        """The latents (count, n), float64, of observations (count, x_dim) in the image of the mixing.

        It is exact for ``leaky`` and ``sigmoid``, and exact up to rounding for ``smooth_leaky``. An observation
        outside the image (noise was added, or x_dim > n) gives the latents of a nearby one, except that ``sigmoid``
        has no inverse outside (0, 1). Each sigmoid layer also loses at least two bits of precision.
        """
        h = np.asarray(x, dtype=np.float64)
        for slope, weight in zip(self.slopes[::-1], self.weights[::-1], strict=True):
            h = _deactivate(h @ weight.T, slope, self.activation)
        return h @ self.embedding.T


def random_mixing(
    n: int, x_dim: int, layers: int, rng: np.random.Generator, activation: Activation = "leaky"
) -> Mixing:
    """A mixing with uniformly drawn rotations and slopes ``a ~ U(0.5, 1.5)``; ``x_dim >= n``."""
    embedding = _orthonormal_rows(n, x_dim, rng)
    weights = np.empty((layers - 1, x_dim, x_dim))
    for weight in weights:
        weight[:] = _orthonormal_rows(x_dim, x_dim, rng)
    # Drawn even if the activation has no slope, so that another activation leaves the rest of the world the same.
    slopes = rng.uniform(SMALLEST_SLOPE, LARGEST_SLOPE, layers - 1)
    return Mixing(embedding, weights, slopes, activation)


def _orthonormal_rows(rows: int, columns: int, rng: np.random.Generator) -> np.ndarray:
    """A matrix (rows, columns) with orthonormal rows, uniform among all of them (Haar)."""
    q, r = np.linalg.qr(rng.standard_normal((columns, rows)))
    # QR fixes the signs by convention; multiplied by the signs of R's diagonal, Q is uniformly distributed.
    return (q * np.sign(np.diag(r))).T


def _activate(h: np.ndarray, slope: float, activation: Activation) -> np.ndarray:
    if activation == "leaky":
        return np.maximum(slope * h, h)
    if activation == "smooth_leaky":
        return slope * h + (1 - slope) * np.logaddexp(0.0, h)
    return expit(h)


def _deactivate(y: np.ndarray, slope: float, activation: Activation) -> np.ndarray:
    if activation == "leaky":
        # max(a h, h) bends the negative side for a < 1 and the positive one for a > 1; min undoes both.
        return np.minimum(y / slope, y)
    if activation == "smooth_leaky":
        return _invert_smooth_leaky(y, slope)
    if (y <= 0).any() or (y >= 1).any():
        raise UserError(
            "the inverse of a sigmoid mixing exists only on its image, and some observations are off it "
            "(noise, or rounding to float32): pass noiseless observations in float64"
        )
    return logit(y)


def _invert_smooth_leaky(y: np.ndarray, slope: float) -> np.ndarray:
    """Solve ``a h + (1 - a) log(1 + e^h) = y`` for h, by Newton's method.

    The left side is increasing, with a derivative between a and 1, and convex (a < 1) or concave (a > 1):
    Newton's method converges from any start, quadratically in the end.
    """
    h = y.copy()
    for _ in range(50):
        step = (_activate(h, slope, "smooth_leaky") - y) / (slope + (1 - slope) * expit(h))
        h -= step
        if np.abs(step).max(initial=0.0) < 1e-12:
            break
    return h
