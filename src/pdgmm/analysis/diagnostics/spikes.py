"""Does a latent really rest at one value, and when? Without rest, nothing tells it from its mixtures with others.

An estimator fits ``p(y) = w N(y; c, e^2) + (1 - w) N(y; m, s^2)`` to every latent, with ``e < s``. A latent is read
as active where the spike's posterior is at most one half. The reading errs where an active latent passes by its rest
value: with a spike of width 0.03 slab scales in 6 % of its active samples. :class:`Marginals` knows how often, so
that nobody mistakes these for samples in which the latent rests.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit, ndtr

from pdgmm.analysis.wording import percent

LEAST_SHARE = 0.02
"""A latent must rest, and must be active, in more than this share of the samples."""

WIDEST_SPIKE = 0.29
"""Largest width in slab scales. The estimator bounds widths by 0.3; one at the bound was cut off, not measured."""

LEAST_GAIN = 0.02
"""Least gain in nats a sample. At width 0.03, a latent that rests in 10 % of the samples gains 0.06, in 5 % 0.01; one
that rests in half of them gains 0.17 at width 0.1 and 0.04 at width 0.2."""

NARROWEST = float(np.finfo(np.float32).tiny)
"""Least scale of a smooth density: that of a constant latent is 0."""

STANDARD_ERRORS = 3.0
"""The gain must exceed this many of its standard errors. On samples that were not fitted, spikes that were found in
Gaussian noise have an expected gain below 0, so less than one in 700 would pass this alone. ``LEAST_GAIN`` stops that
one too where samples are many, and where they are few the error is large."""


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
        return np.logaddexp(*self._log_parts(latents))

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


@dataclass(frozen=True)
class SpikeEvidence:
    """What speaks for a latent's spike."""

    share: float
    """Share of the samples in which it rests."""

    value: float
    """Where it rests, in units of the latent; 0 by convention."""

    width: float
    """Standard deviation around it, in slab scales."""

    gain: float
    """Held-out log-likelihood of spike and slab minus that of the best smooth density, in nats a sample."""

    gain_error: float
    """Standard error of the gain."""

    @property
    def doubts(self) -> list[str]:
        """What speaks against it, in plain words."""
        doubts = []
        if self.share < LEAST_SHARE:
            doubts.append(f"it is at rest in only {percent(self.share)} of the samples")
        if self.share > 1 - LEAST_SHARE:
            doubts.append(f"it is active in only {percent(1 - self.share)} of the samples")
        if self.width > WIDEST_SPIKE:
            doubts.append("its rest value is a broad peak, not a sharp one")
        if not self.gain > max(LEAST_GAIN, STANDARD_ERRORS * self.gain_error):
            doubts.append("a smooth distribution explains new samples as well as a rest value does")
        return doubts

    @property
    def present(self) -> bool:
        """Whether the latent really rests at one value, part of the time."""
        return not self.doubts


def spike_evidence(
    marginals: Marginals, fitted: np.ndarray, held_out: np.ndarray
) -> tuple[SpikeEvidence, ...]:
    """The evidence for the spike of every latent.

    ``fitted`` and ``held_out`` are latents (samples, n) of samples that were and that were not fitted. The gain is
    ``mean_t [log p_i(y_ti) - log q_i(y_ti)]`` over held-out samples, with the fitted density ``p_i``, and as ``q_i``
    a Gaussian or a Laplace distribution with the parameters that are likeliest for the fitted samples, whichever
    gives the smaller gain. Against a Gaussian alone every peaked latent would seem to rest: spike and slab
    gain 0.06 on Laplace samples, and 0.16 on products of two Gaussians with a width of only 0.2.
    """
    gaussian = log_normal(held_out, fitted.mean(axis=0), np.maximum(fitted.std(axis=0), NARROWEST))
    median = np.median(fitted, axis=0)
    scale = np.maximum(np.abs(fitted - median).mean(axis=0), NARROWEST)
    laplace = -np.abs(held_out - median) / scale - np.log(2 * scale)
    gains = marginals.log_density(held_out) - np.stack([gaussian, laplace])
    smaller = gains.mean(axis=1).argmin(axis=0)
    gains = np.take_along_axis(gains, smaller[None, None], axis=0)[0]
    means, errors = gains.mean(axis=0), gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    width = marginals.width / marginals.scale
    rows = zip(marginals.weight, marginals.centre, width, means, errors, strict=True)
    return tuple(SpikeEvidence(*map(float, row)) for row in rows)


def activity(latents: np.ndarray, marginals: Marginals, spikes: Sequence[SpikeEvidence]) -> np.ndarray:
    """(samples, n) bool: True where a latent is active, False where it rests (spike posterior above one half).

    A latent without a real spike counts as active throughout: what is read as resting is a mere peak.
    """
    present = np.array([spike.present for spike in spikes], dtype=bool)
    return (marginals.spike_posterior(latents) <= 0.5) | ~present


def log_normal(y: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Log density of normal distributions."""
    return -0.5 * ((y - mean) / deviation) ** 2 - np.log(deviation) - 0.5 * np.log(2 * np.pi)
