"""Which latents are active in which samples, read from the spike-and-slab density that an estimator fitted.

``p(y) = w N(y; c, e^2) + (1 - w) N(y; m, s^2)`` for every latent, with ``e < s``. A latent is read as active where
the spike's posterior is at most one half. The reading errs where an active latent happens to pass by its rest value:
with a spike of width 0.03 slab scales in 6 % of its active samples. :class:`Marginals` knows how often, so that
nobody mistakes these for samples in which the latent rests.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import expit, ndtr

if TYPE_CHECKING:
    from pdgmm.analysis.diagnostics.spikes import SpikeEvidence


@dataclass(frozen=True)
class Marginals:
    """The fitted densities of n latents; every array is (n,), in units of the latent."""

    weight: np.ndarray
    centre: np.ndarray
    width: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Those of a fitted :class:`pdgmm.estimator.PDGMM`."""
        names = ("spike_probability_", "spike_centre_", "spike_width_", "slab_mean_", "slab_scale_")
        return cls(*(np.asarray(getattr(estimator, name), dtype=np.float64) for name in names))

    def log_density(self, latents: np.ndarray) -> np.ndarray:
        """``log p(y)`` of latents (samples, n), of the same shape."""
        spike, slab = self._log_parts(latents)
        return np.logaddexp(spike, slab)

    def spike_posterior(self, latents: np.ndarray) -> np.ndarray:
        """The probability (samples, n) that a latent rests, given its value."""
        spike, slab = self._log_parts(latents)
        return expit(spike - slab)

    def active_read_as_resting(self) -> np.ndarray:
        """(n,) the share of the slab that is read as resting."""
        low, high = self._resting_interval()
        return ndtr((high - self.mean) / self.scale) - ndtr((low - self.mean) / self.scale)

    def resting_read_as_active(self) -> np.ndarray:
        """(n,) the share of the spike that is read as active."""
        low, high = self._resting_interval()
        return 1 - ndtr((high - self.centre) / self.width) + ndtr((low - self.centre) / self.width)

    def _log_parts(self, latents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        spike = np.log(self.weight) + log_normal(latents, self.centre, self.width)
        return spike, np.log1p(-self.weight) + log_normal(latents, self.mean, self.scale)

    def _resting_interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the spike's posterior exceeds one half: between the roots of the log odds, a quadratic in y."""
        spike, slab = self.width**-2, self.scale**-2
        quadratic = 0.5 * (slab - spike)
        linear = self.centre * spike - self.mean * slab
        constant = (
            np.log(self.weight / (1 - self.weight) * self.scale / self.width)
            - 0.5 * self.centre**2 * spike
            + 0.5 * self.mean**2 * slab
        )
        # A negative discriminant: no value is read as resting, an interval of length 0.
        half = np.sqrt(np.maximum(linear**2 - 4 * quadratic * constant, 0.0)) / (-2 * quadratic)
        middle = linear / (-2 * quadratic)
        return middle - half, middle + half


def activity(
    latents: np.ndarray, estimator: Any, spikes: "Sequence[SpikeEvidence] | None" = None
) -> np.ndarray:
    """(samples, n) bool: True where a latent is active, False where it rests (spike posterior above one half).

    With ``spikes``, a latent without a real spike counts as active throughout.
    """
    active = Marginals.of(estimator).spike_posterior(latents) <= 0.5
    return active if spikes is None else active_without_spike(active, spikes)


def active_without_spike(active: np.ndarray, spikes: "Sequence[SpikeEvidence]") -> np.ndarray:
    """``active`` (samples, n), all True for latents that have no real spike: what never rests is always active."""
    return active | ~np.array([spike.present for spike in spikes], dtype=bool)


def log_normal(y: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Log density of normal distributions."""
    return -0.5 * ((y - mean) / deviation) ** 2 - np.log(deviation) - 0.5 * np.log(2 * np.pi)
