"""Strong and weak MCC against independent computations, and what leaves them alone."""

import numpy as np
import pytest
from sklearn.cross_decomposition import CCA

from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.canonical_correlation import canonical_pairs
from pdgmm.evaluation.fit_stability import FitStability, strong_mcc, weak_mcc

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(4000, 3)) @ RNG.normal(size=(3, 3))
NOISY = Z @ RNG.normal(size=(3, 3)) + 0.7 * RNG.normal(size=(4000, 3))


def test_canonical_correlations_are_those_of_scikit_learn():
    ours = canonical_pairs(Z, NOISY)
    theirs = CCA(n_components=3, max_iter=5000, tol=1e-12).fit(Z, NOISY).transform(Z, NOISY)
    expected = [
        np.corrcoef(one, other)[0, 1] for one, other in zip(*(part.T for part in theirs), strict=True)
    ]
    np.testing.assert_allclose(ours.correlations, expected, atol=1e-3)
    one, other = ours.apply(Z, NOISY)
    np.testing.assert_allclose(np.cov(one.T, bias=True), np.eye(3), atol=1e-9)
    np.testing.assert_allclose(one.T @ other / len(Z), np.diag(ours.correlations), atol=1e-9)


def test_weak_mcc_is_the_held_out_canonical_correlation():
    fitted = CCA(n_components=3, max_iter=5000, tol=1e-12).fit(Z[::2], NOISY[::2])
    images = fitted.transform(Z[1::2], NOISY[1::2])
    values = [abs(np.corrcoef(a, b)[0, 1]) for a, b in zip(*(part.T for part in images), strict=True)]
    assert weak_mcc(Z, NOISY) == pytest.approx(np.mean(values), abs=1e-3)


def test_affine_maps_of_either_code_leave_the_weak_mcc_alone():
    expected = weak_mcc(Z, NOISY)
    matrix = RNG.normal(size=(3, 3))
    assert weak_mcc(Z @ matrix + 5, NOISY) == pytest.approx(expected)
    assert weak_mcc(Z, NOISY @ matrix - 3) == pytest.approx(expected)
    assert weak_mcc(Z, Z @ matrix) == pytest.approx(1)


def test_order_sign_and_scale_leave_the_strong_mcc_alone_and_rotations_do_not():
    expected = strong_mcc(Z, NOISY)
    assert strong_mcc(Z, NOISY[:, [2, 0, 1]] * [-3.0, 1.0, 0.1] + 7) == pytest.approx(expected)
    assert strong_mcc(Z, Z[:, [1, 2, 0]] * [-1, 2, 3]) == pytest.approx(1)
    white = RNG.normal(size=(4000, 2))
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    assert strong_mcc(white, white @ turn) == pytest.approx(np.sqrt(0.5), abs=0.03)


def test_what_is_fitted_on_one_half_is_scored_on_the_other():
    # The even rows are copies, the odd rows are unrelated: in-sample scores would be 1.
    one, other = RNG.normal(size=(2, 4000, 2))
    other[::2] = one[::2]
    assert strong_mcc(one, other) < 0.1
    assert weak_mcc(one, other) < 0.1


def test_a_direction_that_a_code_lacks_counts_as_zero():
    flat = np.column_stack([Z[:, :2], np.zeros(len(Z))])
    assert weak_mcc(Z, flat) == pytest.approx(2 / 3, abs=0.01)
    assert weak_mcc(flat, Z) == pytest.approx(2 / 3, abs=0.01)


def test_chance_is_that_of_rotations_and_of_unrelated_samples():
    white = RNG.normal(size=(4000, 2))
    found = FitStability().scores(ScoredSplit(white, other_fits=[white, -white]))
    assert found["strong_mcc"] == pytest.approx(1)
    assert found["weak_mcc"] == pytest.approx(1)
    assert found["strong_mcc_chance"] == pytest.approx(0.90, abs=0.01)
    assert found["weak_mcc_chance"] < 0.05
