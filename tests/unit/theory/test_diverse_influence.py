"""The exact test of sufficiently diverse influence."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from pdgmm.theory.diverse_influence import column_weights, diversity

RNG = np.random.default_rng(0)


def signs(d):
    return np.array(list(product([1, -1], repeat=d)), dtype=float)


def signed_dirichlet(m, d, concentration=1.0):
    return RNG.dirichlet(concentration * np.ones(d), size=m) * RNG.choice([-1, 1], size=(m, d))


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_the_largest_ellipsoid_of_the_ball_touches_it_at_the_signs(d):
    touching = signs(d) / d
    np.testing.assert_allclose(np.linalg.norm(touching, axis=1), 1 / np.sqrt(d))
    np.testing.assert_allclose(np.abs(touching).sum(axis=1), 1)
    # No ellipsoid is larger: among those with the axes of the ball, sum a_j^2 <= 1 bounds the product of the a_j.
    axes = RNG.dirichlet(np.ones(d), size=1000) ** 0.5
    assert np.prod(axes, axis=1).max() <= d ** (-d / 2)


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_rows_along_the_axes_are_the_whole_ball(d):
    found = diversity(np.eye(d))
    assert found.inner == pytest.approx(1)
    assert found.elsewhere == np.inf
    assert found.sufficient


def test_the_rows_of_all_signs_are_a_cube_inside():
    for d in (2, 3, 4):
        found = diversity(signs(d) / d)
        assert found.inner == pytest.approx(1 / np.sqrt(d))
        assert not found.sufficient


def test_normalised_gaussian_rows_fail_and_many_rows_on_the_facets_pass():
    gaussian = RNG.normal(size=(320, 3))
    assert not diversity(gaussian / np.linalg.norm(gaussian, axis=1, keepdims=True)).sufficient
    assert diversity(signed_dirichlet(320, 3)).sufficient
    assert not diversity(signed_dirichlet(6, 3)).sufficient, "too few rows for the four pairs of facets"


def test_the_sign_of_a_row_does_not_matter_and_the_scale_of_a_column_neither():
    rows = signed_dirichlet(30, 3)
    flipped = rows * RNG.choice([-1, 1], size=(30, 1)) * [3.0, 1.0, 0.01]
    one, other = diversity(rows), diversity(flipped)
    assert one.inner == pytest.approx(other.inner, abs=1e-5)
    assert one.sufficient == other.sufficient


def test_the_hull_agrees_with_a_linear_program():
    """``inner`` is the smallest length of any direction's farthest point of the hull, in units of the ellipsoid's."""
    rows = signed_dirichlet(12, 3)
    both = np.concatenate([rows, -rows])
    found = diversity(rows, np.ones(3))
    # A point on the sphere is in the hull if it is a convex combination of the rows.
    for point in RNG.normal(size=(50, 3)):
        point *= 0.999 * found.inner / np.sqrt(3) / np.linalg.norm(point)
        inside = linprog(np.zeros(24), A_eq=np.vstack([both.T, np.ones(24)]), b_eq=[*point, 1])
        assert inside.status == 0


def test_the_weights_are_those_of_the_smallest_ball():
    rows = signed_dirichlet(200, 4) * [1.0, 2.0, 0.5, 3.0]
    weights = column_weights(rows)
    assert (np.abs(rows) @ weights).max() == pytest.approx(1)
    # No other feasible weights have a larger product.
    for _ in range(200):
        other = weights * np.exp(0.3 * RNG.normal(size=4))
        other /= (np.abs(rows) @ other).max()
        assert np.log(other).sum() <= np.log(weights).sum() + 1e-9


def test_degenerate_rows():
    assert diversity(np.ones((10, 3))).inner == 0
    assert diversity(np.eye(3)[:2]).inner == 0
    with pytest.raises(ValueError, match="2 to 5 columns, not 6"):
        diversity(np.eye(6))
