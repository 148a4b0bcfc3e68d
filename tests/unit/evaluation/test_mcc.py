import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdgmm.evaluation.correlation import correlation
from pdgmm.evaluation.mcc import UNMATCHED, mcc

SEEDS = st.integers(0, 2**32 - 1)


def mixed(seed: int, n: int, d: int, samples: int = 60):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(samples, n))
    return z, z @ rng.normal(size=(n, d)) + 0.3 * rng.normal(size=(samples, d)), rng


@given(seed=SEEDS, n=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_invariant_under_permutation_sign_scale_and_shift(seed, n):
    z, z_hat, rng = mixed(seed, n, n)
    order = rng.permutation(n)
    scale = rng.choice([-1.0, 1.0], n) * np.exp(rng.uniform(-5, 5, n))
    before, after = mcc(z, z_hat), mcc(z, (z_hat * scale + rng.normal(size=n))[:, order])
    assert after.mcc == pytest.approx(before.mcc, abs=1e-9)
    assert after.per_latent == pytest.approx(before.per_latent, abs=1e-9)
    assert (order[after.assignment] == before.assignment).all()
    assert (after.signs == before.signs * np.sign(scale[before.assignment])).all()


@given(seed=SEEDS, n=st.integers(1, 5), d=st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_is_the_best_of_all_assignments(seed, n, d):
    z, z_hat, _ = mixed(seed, n, d)
    absolute = np.abs(correlation(z, z_hat))
    if n <= d:
        best = max(sum(absolute[range(n), pick]) for pick in itertools.permutations(range(d), n))
    else:
        best = max(sum(absolute[pick, range(d)]) for pick in itertools.permutations(range(n), d))
    assert mcc(z, z_hat).mcc == pytest.approx(best / n)


def test_more_learned_than_true_latents_leaves_some_over():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(500, 3))
    z_hat = np.column_stack([rng.normal(size=500), -z[:, 2], z[:, 0], rng.normal(size=500), z[:, 1]])
    match = mcc(z, z_hat)
    assert match.mcc == pytest.approx(1.0)
    assert match.assignment.tolist() == [2, 4, 1]
    assert match.signs.tolist() == [1, 1, -1]
    assert match.correlation.shape == (3, 5)


def test_fewer_learned_than_true_latents_counts_the_missing_as_zero():
    z = np.random.default_rng(0).normal(size=(500, 4))
    match = mcc(z, z[:, [2]])
    assert match.mcc == pytest.approx(1 / 4)
    assert match.assignment.tolist() == [UNMATCHED, UNMATCHED, 0, UNMATCHED]
    assert match.per_latent == pytest.approx([0, 0, 1, 0])


def test_a_collapsed_code_scores_zero():
    z = np.random.default_rng(0).normal(size=(50, 3))
    match = mcc(z, np.full((50, 3), 0.1))
    assert match.mcc == 0.0
    assert sorted(match.assignment) == [0, 1, 2]
    assert (match.signs == 1).all()


def test_a_rotation_by_45_degrees_halves_the_variance():
    z = np.random.default_rng(0).normal(size=(200_000, 2))
    turn = np.array([[1, -1], [1, 1]]) / np.sqrt(2)
    assert mcc(z, z @ turn).mcc == pytest.approx(1 / np.sqrt(2), abs=0.005)


def test_noise_of_known_size_gives_a_known_correlation():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200_000, 3))
    noise = 0.5
    expected = 1 / np.sqrt(1 + noise**2)
    assert mcc(z, z + noise * rng.normal(size=z.shape)).mcc == pytest.approx(expected, abs=0.005)
