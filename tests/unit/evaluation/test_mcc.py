import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.correlation import correlation
from pdgmm.evaluation.mcc import UNMATCHED, ExtraLatents, chance, mcc

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


@pytest.mark.parametrize(("n", "expected"), [(1, 1.0), (2, 2 * np.sqrt(2) / np.pi), (10, 0.59)])
def test_chance_is_what_a_random_rotation_scores(n, expected):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(20_000, n))
    assert chance(z) == pytest.approx(expected, abs=0.01)
    mixed = z @ rng.normal(size=(n, n))
    rotations = [np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(200)]
    whitened = mixed @ np.linalg.inv(np.linalg.cholesky(np.cov(mixed.T).reshape(n, n))).T
    scores = [mcc(mixed[:500], whitened[:500] @ rotation).mcc for rotation in rotations]
    assert chance(mixed) == pytest.approx(np.mean(scores), abs=0.03)


def test_chance_of_latents_that_are_constant_or_copies():
    z = np.random.default_rng(0).normal(size=(100, 2))
    assert chance(np.ones((10, 3))) == 0.0
    assert chance(z[:, [0, 0]]) == pytest.approx(0.5), "one latent can be matched to one of the copies only"


Z = np.random.default_rng(0).normal(size=(2000, 3))
EMPTY = np.zeros((2000, 1))


@pytest.mark.parametrize(
    ("learned", "count", "largest"),
    [
        (Z, None, None),
        (Z[:, :2], None, None),
        (np.hstack([EMPTY, Z, EMPTY + 1]), 2, 0.0),
        (np.hstack([Z, -2 * Z[:, :1], EMPTY]), 2, 0.5),
    ],
    ids=["as many", "fewer", "empty ones", "a copy"],
)
def test_what_is_left_over_is_counted_and_compared_with_the_truth(learned, count, largest):
    found = ExtraLatents().scores(ScoredSplit(learned, {"z": Z}))
    assert found.get("extra_latents") == count
    assert found.get("extra_max_correlation") == (None if largest is None else pytest.approx(largest))
