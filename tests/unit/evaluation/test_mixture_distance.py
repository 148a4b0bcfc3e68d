"""dist_Aff,L2 against integrals on a grid, its invariances, and its gradient's result against other starts."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.mixture_agreement import MixtureAgreement, unrelated
from pdgmm.evaluation.mixture_distance import (
    GaussianMixture,
    Map,
    inner_product,
    l2_distance,
    matched_means_distance,
    optimised_distance,
)


def drawn(seed, count=3, dim=2):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(count, dim, dim))
    covariances = roots @ np.swapaxes(roots, 1, 2) + 0.2 * np.eye(dim)
    return GaussianMixture(rng.dirichlet(np.ones(count) * 3), 3 * rng.normal(size=(count, dim)), covariances)


def shuffled(mixture, order):
    return GaussianMixture(*(part[order] for part in mixture))


MATRIX, SHIFT = np.array([[2.0, -0.7], [0.4, 0.9]]), np.array([3.0, -1.0])


def test_products_and_distance_are_integrals():
    one, other = drawn(0), drawn(1)
    axis = np.linspace(-25, 25, 401)
    points = np.stack(np.meshgrid(axis, axis), axis=-1)

    def density(mixture):
        parts = zip(*mixture, strict=True)
        return sum(w * multivariate_normal(m, c).pdf(points) for w, m, c in parts)

    p, q, cell = density(one), density(other), (axis[1] - axis[0]) ** 2
    assert inner_product(one, other) == pytest.approx((p * q).sum() * cell, rel=1e-6)
    expected = np.sqrt(((p - q) ** 2).sum() / np.sqrt((p**2).sum() * (q**2).sum()))
    assert l2_distance(one, other) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("count", [3, 7])
@pytest.mark.parametrize("distance", [matched_means_distance, optimised_distance])
def test_an_affine_copy_is_at_distance_0(count, distance):
    one = drawn(2, count)
    copy = shuffled(one.moved(MATRIX, SHIFT), np.random.default_rng(0).permutation(count))
    # Where there are too many permutations, the codes say roughly how the two are related.
    start = None if count == 3 else Map(MATRIX + 0.05, SHIFT)
    assert distance(one, copy, start) < 1e-5


def test_the_optimised_distance_is_symmetric_invariant_and_the_smaller_one():
    for seed in range(4):
        one, other = drawn(seed), drawn(seed + 100)
        found = optimised_distance(one, other)
        assert found <= matched_means_distance(one, other) + 1e-9
        assert optimised_distance(other, one) == pytest.approx(found, abs=1e-3)
        assert optimised_distance(one.moved(MATRIX, SHIFT), other) == pytest.approx(found, abs=1e-3)
        # A random search around does not find a better map.
        rng = np.random.default_rng(seed)
        tried = [
            l2_distance(one.moved(rng.normal(size=(2, 2)), 3 * rng.normal(size=2)), other) for _ in range(300)
        ]
        assert min(tried) > found - 1e-6


def test_mean_matching_with_one_component_more_than_dimensions_is_symmetric():
    one, other = drawn(5), drawn(6)
    assert matched_means_distance(one, other) == pytest.approx(matched_means_distance(other, one))
    moved = matched_means_distance(one.moved(MATRIX, SHIFT), other.moved(MATRIX, SHIFT))
    assert moved == pytest.approx(matched_means_distance(one, other))


def test_noise_on_a_copy_costs_little_and_strangers_much():
    rng = np.random.default_rng(0)
    one = drawn(7)
    noisy = one._replace(covariances=one.covariances * np.exp(0.1 * rng.normal(size=(3, 1, 1))))
    claims = [
        dict(zip(("mixture_weights", "mixture_means", "mixture_covariances"), mixture, strict=True))
        for mixture in (one, noisy.moved(MATRIX, SHIFT))
    ]
    codes = rng.normal(size=(100, 2))
    split = ScoredSplit(codes, {}, claims[0], [codes @ MATRIX.T + SHIFT], claims[1:])
    found = MixtureAgreement().scores(split)
    assert found["dist_aff"] <= found["dist_aff_means"] < 0.15
    assert found["dist_aff_means_chance"] > 3 * found["dist_aff_means"]
    assert found["dist_aff_chance"] > 3 * found["dist_aff"]


def test_an_unrelated_mixture_has_components_of_the_same_shapes():
    one = drawn(8, 4, 3)
    other = unrelated(one, np.random.default_rng(0))
    np.testing.assert_allclose(*(np.linalg.eigvalsh(m.covariances) for m in (one, other)))
    assert sorted(other.weights) == sorted(one.weights)
    assert not np.allclose(other.means, one.means)
