"""Whether data look as the theory assumes."""

import numpy as np
import pytest
from scipy import stats
from spike_slab_samples import fitted, independent_activity, masked, no_spike, real_spike, sharp

from pdgmm.analysis.diagnostics.assumptions import (
    active_values,
    affine_log_likelihoods,
    assumptions,
    mixing,
)
from pdgmm.analysis.diagnostics.spikes import activity
from pdgmm.analysis.diagnostics.variability import variability

RNG = np.random.default_rng(4)
LEVELS = (np.arange(20_000) + 0.5) / 20_000


@pytest.mark.parametrize(
    ("shape", "verdict"),
    [
        (stats.norm(3, 7), "holds"),
        (stats.t(5), "doubtful"),
        (stats.uniform, "doubtful"),
        (stats.expon, "violated"),
    ],
    ids=["normal", "t", "uniform", "exponential"],
)
def test_the_verdict_is_made_of_the_distance(shape, verdict):
    assert active_values(shape.ppf(LEVELS), np.ones(len(LEVELS))).verdict == verdict


def test_distance_and_moments_of_a_uniform_distribution():
    values = active_values(stats.uniform.ppf(LEVELS), np.ones(len(LEVELS)))
    found = values.gaussianity
    grid = np.linspace(0, 1, 100_001)
    assert found.statistic == pytest.approx(
        np.abs(grid - stats.norm.cdf((grid - 0.5) * np.sqrt(12))).max(), abs=1e-3
    )
    assert found.skewness == pytest.approx(0.0, abs=1e-6)
    assert found.kurtosis == pytest.approx(-1.2, abs=1e-3)
    np.testing.assert_allclose(
        values.quantiles.observed, (np.arange(1, 100) / 100 - 0.5) * np.sqrt(12), atol=1e-3
    )


@pytest.mark.parametrize(
    "values", [RNG.normal(size=20), np.zeros(100), np.ones(0)], ids=["few", "constant", "none"]
)
def test_what_cannot_be_judged_is_unknown(values):
    found = active_values(values, np.ones(len(values)))
    assert found.verdict == "unknown"
    defined = 99 if len(values) == 20 else 0
    assert len(found.quantiles.normal) == len(found.quantiles.observed) == defined


def test_the_critical_value_is_that_of_lilliefors():
    found = [active_values(RNG.normal(size=100), np.ones(100)).gaussianity for _ in range(2000)]
    assert found[0].critical_value == pytest.approx(0.103)
    assert np.mean([one.statistic > one.critical_value for one in found]) == pytest.approx(0.01, abs=0.007)


def test_weights_take_the_spike_out():
    active = independent_activity(6000, 1, RNG)
    latents = masked(active, RNG)
    resting = fitted(1).spike_posterior(latents)
    assert active_values(latents[:, 0], np.ones(6000)).verdict == "violated"
    weighted = active_values(latents[:, 0], 1 - resting[:, 0])
    assert weighted.verdict == "holds"
    assert weighted.gaussianity.statistic < 0.03
    assert weighted.samples == pytest.approx(active.sum(), rel=0.05)


def read(active):
    n = active.shape[1]
    return activity(masked(active, RNG), fitted(n), [real_spike()] * n), fitted(n)


def together(active):
    active[:, 2] = active[:, 0]


def never_alone(active):
    active[:, 1] &= active[:, 0]


def never_resting(active):
    active[:, 1] = True


@pytest.mark.parametrize(
    ("change", "pairs", "inseparable"),
    [
        (lambda active: None, [], []),
        (together, [(1, 3)], [1, 3]),
        # Latent 2 is never active without latent 1, and latent 1 is without it.
        (never_alone, [(1, 2)], [1]),
        (never_resting, [(1, 2), (2, 3)], [2]),
    ],
)
def test_latents_that_are_not_active_without_each_other_are_not_separated(change, pairs, inseparable):
    active = independent_activity(4000, 3, RNG)
    change(active)
    # In spite of misreadings; a latent that never rests has no spike to be misread.
    found = variability(active, sharp(3)) if change is never_resting else variability(*read(active))
    assert found.verdict == ("violated" if pairs else "holds")
    assert (found.pairs_not_separated, found.inseparable) == (pairs, inseparable)


def test_where_nothing_rests_the_sentence_says_so_and_names_no_pairs():
    found = variability(np.ones((100, 3), dtype=bool), sharp(3))
    assert (found.verdict, found.inseparable) == ("violated", [1, 2, 3])
    assert found.sentence == "No latent rests, so no patterns of rest tell the latents apart."


def test_a_bare_separation_is_doubtful():
    active = independent_activity(20_000, 2, RNG)
    active[:, 1] = active[:, 0]
    active[active[:, 0].nonzero()[0][:350], 1] = False
    active[active[:, 1].nonzero()[0][-350:], 0] = False
    assert variability(active, sharp(2)).verdict == "doubtful"


@pytest.mark.parametrize(
    ("gain", "verdict", "words"),
    [(1.0, "holds", "is curved"), (0.0, "holds", "looks affine"), (-1.0, "doubtful", "too few samples")],
)
def test_affine_against_flow(gain, verdict, words):
    affine = RNG.normal(size=400)
    noise = np.tile([1.0, -1.0], 200)
    found = mixing(affine, affine + gain + noise)
    assert found.verdict == verdict
    assert words in found.sentence
    assert found.flow_log_likelihood - found.affine_log_likelihood == pytest.approx(gain)


def test_without_a_flow_the_mixing_is_unknown():
    found = mixing(np.zeros(5), None)
    assert (found.affine_log_likelihood, found.flow_log_likelihood, found.verdict) == (0.0, None, "unknown")


class InFirstDirections:
    """Stands for an affine estimator whose density is 0 in its subspace."""

    def __init__(self, n):
        self.n_latents_ = n

    def score_samples(self, x):
        return np.zeros(len(x))


def test_the_affine_likelihood_covers_the_directions_that_a_flow_covers():
    deviations = np.array([5.0, 3.0, 2.0, 1.0, 0.5, 0.25])
    train, new = RNG.normal(size=(2, 5000, 6)) * deviations
    expected = stats.norm(0, deviations).logpdf(new)
    found = affine_log_likelihoods(InFirstDirections(2), train, new)
    np.testing.assert_allclose(found.mean(), expected[:, 2:].sum(axis=1).mean(), atol=0.05)
    found = affine_log_likelihoods(InFirstDirections(1), train, new)
    np.testing.assert_allclose(found.mean(), expected[:, 1:4].sum(axis=1).mean(), atol=0.05)
    np.testing.assert_array_equal(affine_log_likelihoods(InFirstDirections(6), train, new), 0.0)
    flat = train[:, :2] @ RNG.normal(size=(2, 4))
    np.testing.assert_array_equal(affine_log_likelihoods(InFirstDirections(2), flat, flat[:7]), 0.0)


def test_a_latent_without_a_spike_violates_and_is_always_active():
    latents = masked(independent_activity(2000, 3, RNG), RNG)
    latents[:, 2] = RNG.normal(size=2000)
    spikes = [real_spike(), real_spike(), no_spike()]
    active = activity(latents, fitted(3), spikes)
    found = assumptions(latents, active, fitted(3), spikes, mixing(np.zeros(5), None))
    assert [(entry.latent, entry.verdict) for entry in found.latents] == [
        (1, "holds"),
        (2, "holds"),
        (3, "violated"),
    ]
    assert found.latents[2].active_samples == 2000
    assert all(3 in pattern.active for pattern in found.patterns)
    assert found.patterns_share == pytest.approx(1.0)
    assert found.variability.pairs_not_separated == [(1, 3), (2, 3)]
