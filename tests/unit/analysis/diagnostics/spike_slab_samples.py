"""Latents with known spikes, and the densities that describe them, without any training."""

import numpy as np

from pdgmm.analysis.diagnostics.spikes import Marginals, SpikeEvidence

WIDTH = 0.03


def fitted(n, share=0.5, width=WIDTH):
    """The densities that a good fit of n latents finds."""
    one = np.ones(n)
    return Marginals(weight=share * one, centre=0 * one, width=width * one, mean=0 * one, scale=one)


def sharp(n):
    """Densities of n latents whose rest nobody misreads."""
    return fitted(n, width=1e-9)


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
