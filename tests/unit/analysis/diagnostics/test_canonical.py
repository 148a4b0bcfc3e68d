"""Canonical correlations in closed form."""

import numpy as np

from pdgmm.analysis.diagnostics.stability import held_out_canonical_correlations, held_out_prediction

RNG = np.random.default_rng(1)


def halves(a, b):
    half = len(a) // 2
    return (a[:half], b[:half]), (a[half:], b[half:])


def test_a_linear_map_and_a_shift_keep_every_canonical_correlation_at_one():
    a = RNG.normal(size=(400, 3))
    b = a @ RNG.normal(size=(3, 3)) * [1e-3, 1.0, 1e4] + 7.0
    np.testing.assert_allclose(held_out_canonical_correlations(*halves(a, b)), 1.0, atol=1e-7)


def test_known_correlations_come_out():
    a = RNG.normal(size=(40_000, 2))
    b = a * [0.8, 0.3] + RNG.normal(size=a.shape) * np.sqrt(1 - np.array([0.8, 0.3]) ** 2)
    found = held_out_canonical_correlations(*halves(a @ RNG.normal(size=(2, 2)), b @ RNG.normal(size=(2, 2))))
    np.testing.assert_allclose(found, [0.8, 0.3], atol=0.03)


def test_a_duplicate_column_leaves_a_correlation_of_zero():
    a = RNG.normal(size=(200, 2))
    found = held_out_canonical_correlations(*halves(a, a[:, [0, 0]]))
    assert found.shape == (2,)
    np.testing.assert_allclose(found, [1.0, 0.0], atol=1e-7)


def test_the_prediction_is_that_of_least_squares():
    x = RNG.normal(size=(300, 4)) + 3.0
    y = x @ RNG.normal(size=(4, 2)) + RNG.normal(size=(300, 2))
    (fit_y, fit_x), (rest_y, rest_x) = halves(y, x)
    weights = np.linalg.lstsq(np.column_stack([fit_x, np.ones(150)]), fit_y, rcond=None)[0]
    predicted = rest_x @ weights[:-1]
    expected = [np.corrcoef(rest_y[:, i], predicted[:, i])[0, 1] for i in range(2)]
    np.testing.assert_allclose(held_out_prediction(*halves(y, x)), expected, atol=1e-9)
