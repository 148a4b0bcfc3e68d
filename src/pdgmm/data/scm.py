"""Linear structural causal models, sampled and in closed form."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

NoiseKind = Literal["gauss", "exponential", "gumbel"]

_NOISE_MEAN = {"gauss": 0.0, "exponential": 1.0, "gumbel": float(np.euler_gamma)}
_NOISE_VARIANCE = {"gauss": 1.0, "exponential": 1.0, "gumbel": np.pi**2 / 6}


@dataclass(frozen=True)
class LinearScm:
    """``z_j = sum_i weights[i, j] z_i + e_j``, or in rows ``z = z B + e``, hence ``z = e (I - B)^-1``.

    ``weights`` is B (n, n) of an acyclic graph, ``B[i, j]`` the effect of i on j. The noise e has independent
    entries: standard normal (``gauss``), exponential of rate 1 (``exponential``) or standard Gumbel
    (``gumbel``). Exponential and Gumbel noise are not centred, so such latents have a mean.
    """

    weights: np.ndarray
    noise: NoiseKind = "gauss"

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.weights)

    @property
    def total_effects(self) -> np.ndarray:
        """``(I - B)^-1`` (n, n): entry (i, j) is the effect of i's noise on j over all directed paths."""
        return np.linalg.inv(np.eye(self.n) - self.weights)

    @property
    def mean(self) -> np.ndarray:
        """E[z] (n,)."""
        return _NOISE_MEAN[self.noise] * self.total_effects.sum(axis=0)

    @property
    def covariance(self) -> np.ndarray:
        """Cov[z] (n, n)."""
        effects = self.total_effects
        return _NOISE_VARIANCE[self.noise] * effects.T @ effects

    @property
    def std(self) -> np.ndarray:
        """Standard deviation of each variable (n,)."""
        return np.sqrt(np.diag(self.covariance))

    def without_edges(self) -> "LinearScm":
        """The model of the same noise whose variables are independent."""
        return LinearScm(np.zeros_like(self.weights), self.noise)

    def sample(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Samples (count, n), float64."""
        return self._sample_noise(count, rng) @ self.total_effects

    def _sample_noise(self, count: int, rng: np.random.Generator) -> np.ndarray:
        draw = {
            "gauss": rng.standard_normal,
            "exponential": rng.standard_exponential,
            "gumbel": lambda size: rng.gumbel(size=size),
        }
        return draw[self.noise]((count, self.n))
