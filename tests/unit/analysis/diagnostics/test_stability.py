"""Which latents are trusted, and canonical correlations in closed form."""

import numpy as np
import pytest
from spike_slab_samples import fitted, independent_activity, masked, no_spike, real_spike, rotation

from pdgmm import PDGMM
from pdgmm.analysis.diagnostics.spikes import Marginals, activity, spike_evidence
from pdgmm.analysis.diagnostics.stability import (
    held_out_canonical_correlations,
    held_out_prediction,
    identified,
)

RNG = np.random.default_rng(2)
SAMPLES = 3000
DRAWS = np.random.default_rng(1)


@pytest.fixture
def latents():
    return masked(independent_activity(SAMPLES, 4, RNG), RNG)


def refits_of(latents, change=lambda z: z):
    """Five refits: other order, signs and scales, and what ``change`` does."""
    order = [2, 0, 3, 1]
    return [change(latents)[:, order] * [1.0, -2.0, 0.5, -1.0] for _ in range(5)]


def judged(latents, refits, spikes=None, **more):
    marginals = fitted(latents.shape[1])
    spikes = spikes or [real_spike()] * latents.shape[1]
    return identified(latents, refits, activity(latents, marginals, spikes), spikes, marginals, **more)


def test_other_order_sign_and_scale_is_the_same_latent(latents):
    result = judged(latents, refits_of(latents))
    assert [latent.trusted for latent in result.latents] == [True] * 4
    assert result.strong_mcc == pytest.approx(1.0)
    assert result.weak_mcc == pytest.approx(1.0)
    assert (result.verdict, result.fits, result.blocks) == ("holds", 5, [[1], [2], [3], [4]])
    assert [(latent.latent, latent.block) for latent in result.latents] == [(n, n) for n in (1, 2, 3, 4)]
    assert "found again in every refit" in result.latents[0].reason
    assert "at rest in 50%" in result.latents[0].reason


def rotated(z):
    z = z.copy()
    z[:, :2] = z[:, :2] @ rotation(45)
    return z


def test_rotated_latents_are_weakly_but_not_strongly_the_same(latents):
    result = judged(latents, refits_of(latents, rotated))
    assert [latent.trusted for latent in result.latents] == [False, False, True, True]
    assert result.latents[0].strong == pytest.approx(np.sqrt(0.5), abs=0.05)
    assert result.latents[0].weak == pytest.approx(1.0, abs=1e-6)
    assert result.verdict == "doubtful"
    assert "Only latents 3 and 4 can be trusted" in result.sentence
    assert "give another latent" in result.latents[0].reason


def test_weak_mcc_counts_directions_that_are_shared(latents):
    # The refit lost the direction (1, 1, 0, 0): three of four are shared, and half of each of two latents is.
    lost = rotated(latents / latents.std(axis=0))
    lost[:, 0] = RNG.normal(size=SAMPLES)
    result = judged(latents / latents.std(axis=0), [lost])
    assert result.weak_mcc == pytest.approx(0.75, abs=0.03)
    assert [latent.weak for latent in result.latents] == pytest.approx([0.707, 0.707, 1.0, 1.0], abs=0.05)


def test_one_bad_refit_is_enough_for_doubt(latents):
    refits = refits_of(latents)
    noisy = latents.copy()
    noisy[:, 0] += 0.36 * RNG.normal(size=SAMPLES)
    result = judged(latents, [*refits, noisy])
    assert result.latents[0].strong > 0.95, "in the mean all is well"
    assert [latent.trusted for latent in result.latents] == [False, True, True, True]


def test_a_block_is_identified_as_a_whole():
    active = independent_activity(SAMPLES, 4, RNG)
    active[:, 1] = active[:, 0]
    latents = masked(active, RNG)
    result = judged(latents, refits_of(latents, rotated), inseparable={1, 2})
    assert result.blocks == [[1, 2], [3], [4]]
    assert [latent.trusted for latent in result.latents] == [False, False, True, True]
    assert "rests together with latent 2: only the block is identified, which is found again" in (
        result.latents[0].reason
    )
    assert "Latents 1 and 2 are identified as a block" in result.sentence
    torn = refits_of(latents, lambda z: z[:, [2, 0, 1, 3]] @ np.kron(np.eye(2), rotation(45)))
    assert "even the block is not found again" in judged(latents, torn).latents[0].reason


def test_a_latent_without_a_spike_is_not_trusted_however_stable(latents):
    result = judged(latents, refits_of(latents), [real_spike(), no_spike(), real_spike(), real_spike(0.99)])
    assert [latent.trusted for latent in result.latents] == [True, False, True, False]
    assert "broad peak" in result.latents[1].reason
    assert "a smooth distribution explains" in result.latents[1].reason
    assert "active in only 1.0%" in result.latents[3].reason


def test_a_latent_that_may_hold_another_is_not_trusted(latents):
    result = judged(latents, refits_of(latents), inseparable={3})
    assert [latent.trusted for latent in result.latents] == [True, True, False, True]
    assert "never active without it" in result.latents[2].reason


def test_nothing_found_again_is_a_violation(latents):
    result = judged(latents, [RNG.normal(size=latents.shape) for _ in range(5)])
    assert result.verdict == "violated"
    assert result.strong_mcc < 0.1, "the assignment is not scored where it was chosen"


@pytest.mark.parametrize(("samples", "n"), [(120, 3), (400, 8), (2000, 4)])
def test_gaussian_noise_gives_no_trusted_latent(samples, n):
    # The refits are the fit itself, perfectly stable: the missing spikes alone must raise the doubt.
    noise = np.random.default_rng(samples).normal(size=(samples, n))
    new = np.random.default_rng(n).normal(size=(samples, n))
    estimator = PDGMM(n_latents=n, nonlinear=False, starts=1, random_state=0).fit(noise)
    held_out = estimator.transform(new)
    marginals = Marginals.of(estimator)
    spikes = spike_evidence(marginals, estimator.transform(noise), held_out)
    result = identified(held_out, [held_out] * 5, activity(held_out, marginals, spikes), spikes, marginals)
    assert result.strong_mcc == pytest.approx(1.0)
    assert not any(latent.trusted for latent in result.latents)
    assert result.verdict == "violated"


def halves(a, b):
    half = len(a) // 2
    return (a[:half], b[:half]), (a[half:], b[half:])


def test_a_linear_map_and_a_shift_keep_every_canonical_correlation_at_one():
    a = DRAWS.normal(size=(400, 3))
    b = a @ DRAWS.normal(size=(3, 3)) * [1e-3, 1.0, 1e4] + 7.0
    np.testing.assert_allclose(held_out_canonical_correlations(*halves(a, b)), 1.0, atol=1e-7)


def test_known_correlations_come_out():
    a = DRAWS.normal(size=(40_000, 2))
    b = a * [0.8, 0.3] + DRAWS.normal(size=a.shape) * np.sqrt(1 - np.array([0.8, 0.3]) ** 2)
    found = held_out_canonical_correlations(
        *halves(a @ DRAWS.normal(size=(2, 2)), b @ DRAWS.normal(size=(2, 2)))
    )
    np.testing.assert_allclose(found, [0.8, 0.3], atol=0.03)


def test_a_duplicate_column_leaves_a_correlation_of_zero():
    a = DRAWS.normal(size=(200, 2))
    found = held_out_canonical_correlations(*halves(a, a[:, [0, 0]]))
    assert found.shape == (2,)
    np.testing.assert_allclose(found, [1.0, 0.0], atol=1e-7)


def test_the_prediction_is_that_of_least_squares():
    x = DRAWS.normal(size=(300, 4)) + 3.0
    y = x @ DRAWS.normal(size=(4, 2)) + DRAWS.normal(size=(300, 2))
    (fit_y, fit_x), (rest_y, rest_x) = halves(y, x)
    weights = np.linalg.lstsq(np.column_stack([fit_x, np.ones(150)]), fit_y, rcond=None)[0]
    predicted = rest_x @ weights[:-1]
    expected = [np.corrcoef(rest_y[:, i], predicted[:, i])[0, 1] for i in range(2)]
    np.testing.assert_allclose(held_out_prediction(*halves(y, x)), expected, atol=1e-9)
