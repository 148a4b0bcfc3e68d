"""Does a latent really rest at one value? Without that, nothing tells it from its mixtures with others."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pdgmm.analysis.diagnostics.activity import Marginals, log_normal
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


def spike_evidence(estimator: Any, fitted: np.ndarray, held_out: np.ndarray) -> tuple[SpikeEvidence, ...]:
    """The evidence for the spike of every latent of a fitted :class:`pdgmm.estimator.PDGMM`.

    ``fitted`` and ``held_out`` are latents (samples, n) of samples that were and that were not fitted. The gain is
    ``mean_t [log p_i(y_ti) - log q_i(y_ti)]`` over held-out samples, with the density ``p_i`` of the estimator, and
    as ``q_i`` a Gaussian or a Laplace distribution with the parameters that are likeliest for the fitted samples,
    whichever gives the smaller gain. Against a Gaussian alone every peaked latent would seem to rest: spike and slab
    gain 0.06 on Laplace samples, and 0.16 on products of two Gaussians with a width of only 0.2.
    """
    marginals = Marginals.of(estimator)
    mixture = marginals.log_density(held_out)
    gains = np.stack([mixture - _log_gaussian(fitted, held_out), mixture - _log_laplace(fitted, held_out)])
    smaller = gains.mean(axis=1).argmin(axis=0)
    gains = np.take_along_axis(gains, smaller[None, None], axis=0)[0]
    means, errors = gains.mean(axis=0), gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    rows = zip(
        marginals.weight, marginals.centre, marginals.width / marginals.scale, means, errors, strict=True
    )
    return tuple(SpikeEvidence(*map(float, row)) for row in rows)


def _log_gaussian(fitted: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    return log_normal(held_out, fitted.mean(axis=0), np.maximum(fitted.std(axis=0), NARROWEST))


def _log_laplace(fitted: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    median = np.median(fitted, axis=0)
    scale = np.maximum(np.abs(fitted - median).mean(axis=0), NARROWEST)
    return -np.abs(held_out - median) / scale - np.log(2 * scale)
