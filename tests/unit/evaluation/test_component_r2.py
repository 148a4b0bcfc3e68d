"""R2 of single latents by cubics."""

import numpy as np
import pytest

from pdgmm.evaluation.component_r2 import chance_of_component_r2, component_r2

RNG = np.random.default_rng(0)
Z = RNG.uniform(-1, 1, size=(4000, 3))


def test_cubics_of_permuted_latents_score_one():
    code = np.column_stack([np.cbrt(Z[:, 2]), 5 - Z[:, 0], 2 * Z[:, 1]])
    exact, matrix = component_r2(Z, code[:, [1, 2, 0]] ** [1, 1, 3])
    np.testing.assert_allclose(exact, 1)
    assert matrix.shape == (3, 3)
    assert (matrix[~np.eye(3, dtype=bool)] < 0.01).all()


def test_it_agrees_with_polynomials_fitted_one_by_one():
    code = Z @ RNG.normal(size=(3, 4))
    matrix = component_r2(Z, code)[1]
    for j in range(3):
        for k in range(4):
            fitted = np.polynomial.Polynomial.fit(code[::2, k], Z[::2, j], 3)
            residual = Z[1::2, j] - fitted(code[1::2, k])
            assert matrix[j, k] == pytest.approx(max(0, 1 - residual.var() / Z[1::2, j].var()), abs=2e-3)


def test_constants_noise_and_missing_partners_count_as_zero():
    noise = RNG.normal(size=(4000, 3))
    assert component_r2(Z, noise)[0].max() < 0.01
    np.testing.assert_array_equal(component_r2(Z, np.ones((4000, 3)))[0], 0)
    np.testing.assert_allclose(component_r2(Z, Z[:, :1])[0], [1, 0, 0], atol=1e-9)


def test_an_outlier_cannot_make_it_negative():
    code = Z.copy()
    code[1, 0] = 1e3
    each = component_r2(Z, code)[0]
    assert 0 <= each[0] <= 1
    np.testing.assert_allclose(each[1:], 1)


def test_the_chance_level_is_that_of_rotations():
    # Two latents, rotated by an angle a: the best match explains about max(cos^2 a, sin^2 a) of each.
    assert chance_of_component_r2(Z[:, :2]) == pytest.approx(0.5 + 1 / np.pi, abs=0.12)
    assert chance_of_component_r2(Z) < chance_of_component_r2(Z[:, :2])
    assert chance_of_component_r2(np.ones((10, 2))) == 0
