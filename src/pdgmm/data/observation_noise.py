"""Noise on the observations, relative to their variance."""

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pdgmm.seeds import child_generator

if TYPE_CHECKING:
    from pdgmm.data.masked_scm import MaskedScmWorld

REFERENCE_SAMPLES = 10_000
"""The signal's variance, which the observation noise is relative to, is estimated from this many samples."""

W = TypeVar("W", bound="MaskedScmWorld")


def with_observation_noise(world: W, decibels: float | None, seed: int) -> W:
    """The world with a signal-to-noise ratio of ``decibels``; None: the world as it is.

    The ratio is that of the clean training samples, their variance averaged over the coordinates of x.
    """
    if decibels is None:
        return world
    # A sample of its own, so that the noise is the same for every split and block.
    reference = world.sample("train", REFERENCE_SAMPLES, child_generator(seed, "observation_noise"))
    signal = float(reference["x"].var(axis=0, dtype=np.float64).mean())
    return replace(world, noise_std=(signal / 10 ** (decibels / 10)) ** 0.5)
