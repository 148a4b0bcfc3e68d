"""Latents with known spikes, and an estimator's attributes that describe them, without any training."""

from types import SimpleNamespace

import numpy as np

from pdgmm.analysis.diagnostics.spikes import Marginals, SpikeEvidence

WIDTH = 0.03


def fitted(n, share=0.5, width=WIDTH):
    """What an estimator knows after a good fit of n latents."""
    one = np.ones(n)
    return SimpleNamespace(
        spike_probability_=share * one,
        spike_centre_=0 * one,
        spike_width_=width * one,
        slab_mean_=0 * one,
        slab_scale_=one,
    )


def sharp(n):
    """Densities of n latents whose rest nobody misreads."""
    return Marginals.of(fitted(n, width=1e-9))


def masked(active, rng):
    """Latents (samples, n): standard normal where ``active``, else near 0."""
    noise = WIDTH * rng.normal(size=active.shape)
    return np.where(active, rng.normal(size=active.shape), noise)


def independent_activity(samples, n, rng, share=0.5):
    return rng.random((samples, n)) >= share


def real_spike(share=0.5):
    return SpikeEvidence(share, 0.0, WIDTH, gain=0.5, gain_error=0.01)


def no_spike():
    return SpikeEvidence(0.3, 0.0, 0.3, gain=0.0, gain_error=0.01)


def rotation(degrees):
    angle = np.deg2rad(degrees)
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
