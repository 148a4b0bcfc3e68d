"""Reading activity from values, and knowing how often the reading errs."""

import numpy as np
import pytest
from spike_slab_samples import fitted, independent_activity, masked, no_spike, real_spike, sharp

from pdgmm.analysis.diagnostics.spikes import Marginals, activity
from pdgmm.analysis.diagnostics.variability import frozen_blocks

RNG = np.random.default_rng(0)


def test_posterior_and_density_are_those_of_the_mixture():
    marginals = Marginals(*(np.array([value]) for value in (0.3, 0.1, 0.2, -0.5, 1.5)))
    y = np.linspace(-9, 9, 20_001)[:, None]
    normal = lambda c, e: np.exp(-0.5 * ((y - c) / e) ** 2) / (e * np.sqrt(2 * np.pi))  # noqa: E731
    spike, slab = 0.3 * normal(0.1, 0.2), 0.7 * normal(-0.5, 1.5)
    np.testing.assert_allclose(np.exp(marginals.log_density(y)), spike + slab, rtol=1e-9)
    np.testing.assert_allclose(marginals.spike_posterior(y), spike / (spike + slab), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("share", "width"), [(0.5, 0.03), (0.1, 0.2), (0.9, 0.01)])
def test_misreadings_are_as_frequent_as_foretold(share, width):
    marginals, spikes = fitted(1, share, width), [real_spike()]
    draws = RNG.normal(size=(200_000, 1))
    assert (~activity(draws, marginals, spikes)).mean() == pytest.approx(
        marginals.active_read_as_resting()[0], abs=3e-3
    )
    assert activity(width * draws, marginals, spikes).mean() == pytest.approx(
        marginals.resting_read_as_active()[0], abs=3e-3
    )


def test_a_spike_that_wins_nowhere_is_never_read():
    marginals = Marginals(*(np.array([value]) for value in (0.001, 0.0, 0.29, 0.0, 1.0)))
    assert marginals.active_read_as_resting()[0] == 0
    assert marginals.resting_read_as_active()[0] == 1


def test_a_latent_without_a_spike_is_always_active():
    latents = masked(independent_activity(500, 2, RNG), RNG)
    read = activity(latents, fitted(2), [real_spike(), no_spike()])
    assert 0.3 < read[:, 0].mean() < 0.7
    assert read[:, 1].all()


def test_latents_that_rest_together_are_a_block_in_spite_of_misreadings():
    active = independent_activity(5000, 4, RNG)
    active[:, 3] = active[:, 1]
    read = activity(masked(active, RNG), fitted(4), [real_spike()] * 4)
    assert frozen_blocks(active, sharp(4)) == [[0], [1, 3], [2]]
    assert frozen_blocks(read, fitted(4)) == [[0], [1, 3], [2]]
    active[::8, 3] ^= True
    assert frozen_blocks(active, sharp(4)) == [[0], [1], [2], [3]], "one in eight rows tells them apart"


@pytest.mark.parametrize(("both", "blocks"), [(0.8, [[0], [1, 3], [2]]), (0.4, [[0], [1], [2], [3]])])
def test_less_agreement_is_enough_for_latents_that_are_not_separated(both, blocks):
    active = independent_activity(5000, 4, RNG)
    active[:, 3] = active[:, 1] & (RNG.random(5000) < both)
    assert frozen_blocks(active, sharp(4)) == blocks


@pytest.mark.parametrize("share", [0.03, 0.5, 0.97])
def test_independent_latents_are_no_block(share):
    active = independent_activity(20_000, 5, RNG, share)
    read = activity(masked(active, RNG), fitted(5, share), [real_spike()] * 5)
    assert frozen_blocks(read, fitted(5, share)) == [[0], [1], [2], [3], [4]]


def test_latents_that_never_rest_or_always_do_are_no_block():
    assert frozen_blocks(np.ones((100, 2), dtype=bool), sharp(2)) == [[0], [1]]
    assert frozen_blocks(np.zeros((100, 2), dtype=bool), sharp(2)) == [[0], [1]]
