"""Evidence for a rest value."""

import numpy as np
import pytest

from pdgmm.analysis.diagnostics.spikes import Marginals, SpikeEvidence, spike_evidence
from pdgmm.methods.latent_densities import fitted_spikes

RNG = np.random.default_rng(3)
SAMPLES = 3000


def evidence(draw):
    """The evidence for one latent whose density is fitted as the estimator does it."""
    fitted, held_out = draw()[:, None], draw()[:, None]
    return spike_evidence(Marginals(**fitted_spikes(fitted)), fitted, held_out)[0]


def spiky(share, width):
    values = RNG.normal(size=SAMPLES) * (RNG.random(SAMPLES) >= share)
    return values + width * RNG.normal(size=SAMPLES)


@pytest.mark.parametrize(("share", "width"), [(0.5, 0.0), (0.5, 0.1), (0.15, 0.03), (0.9, 0.03)])
def test_a_latent_that_rests_has_a_spike(share, width):
    found = evidence(lambda: spiky(share, width))
    assert found.present, found.doubts
    assert found.share == pytest.approx(share, abs=0.05)
    assert found.value == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: RNG.normal(size=SAMPLES),
        lambda: RNG.uniform(-1, 1, size=SAMPLES) * np.sqrt(3),
        lambda: RNG.laplace(size=SAMPLES),
        lambda: RNG.standard_t(4, size=SAMPLES),
        lambda: RNG.normal(size=SAMPLES) * RNG.normal(size=SAMPLES),
        lambda: RNG.choice([-1, 1], size=SAMPLES) + 0.3 * RNG.normal(size=SAMPLES),
        lambda: np.zeros(SAMPLES) + 1e-6 * RNG.normal(size=SAMPLES),
    ],
    ids=["normal", "uniform", "laplace", "t", "product", "two peaks", "constant"],
)
def test_a_latent_that_does_not_rest_has_none(draw):
    assert not evidence(draw).present


def test_the_gain_must_be_more_than_chance():
    assert SpikeEvidence(0.5, 0.0, 0.03, gain=0.2, gain_error=0.05).present
    assert not SpikeEvidence(0.5, 0.0, 0.03, gain=0.2, gain_error=0.07).present
    assert not SpikeEvidence(0.5, 0.0, 0.03, gain=0.015, gain_error=0.001).present
    assert not SpikeEvidence(0.5, 0.0, 0.03, gain=float("nan"), gain_error=0.001).present
