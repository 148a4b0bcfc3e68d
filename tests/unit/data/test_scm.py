"""Random graphs, linear SCMs on them, and rotations of their latents."""

import numpy as np
import pytest

from pdgmm.data.scm import LinearScm, erdos_renyi_dag, random_weights, rotation_matrix


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(("n", "k", "edges"), [(10, 0, 0), (10, 1, 10), (40, 3, 120), (5, 2, 10), (5, 3, 10)])
def test_number_of_edges_is_n_times_k_up_to_the_complete_dag(n, k, edges):
    for seed in range(5):
        adjacency = erdos_renyi_dag(n, k, rng(seed)).astype(float)
        assert adjacency.sum() == edges
        # The n-th power counts the directed walks of length n; only a cycle makes one that long.
        assert not np.linalg.matrix_power(adjacency, n).any()


def test_every_ordered_pair_is_equally_likely_an_edge():
    draws = 3000
    generator = rng()
    counts = sum(erdos_renyi_dag(4, 1, generator).astype(int) for _ in range(draws))
    # Four of the six pairs, in either direction: each ordered pair has probability 1/3.
    off_diagonal = counts[~np.eye(4, dtype=bool)] / draws
    assert np.abs(off_diagonal - 1 / 3).max() < 4 * np.sqrt(2 / 9 / draws)


def test_weights_are_uniform_on_both_sides_of_the_gap():
    adjacency = np.triu(np.ones((80, 80), dtype=np.uint8), 1)
    weights = random_weights(adjacency, rng())
    assert ((weights != 0) == adjacency).all()
    drawn = weights[adjacency == 1]
    assert 0.2 <= np.abs(drawn).min() < np.abs(drawn).max() <= 1
    assert np.abs(drawn).mean() == pytest.approx(0.6, abs=0.02)
    assert (drawn > 0).mean() == pytest.approx(0.5, abs=0.04)


def test_chain_by_hand():
    # 0 -> 1 with weight 0.5, 1 -> 2 with weight -1: z1 = 0.5 e0 + e1, z2 = -z1 + e2.
    scm = LinearScm(np.array([[0, 0.5, 0], [0, 0, -1], [0, 0, 0]]))
    np.testing.assert_allclose(scm.covariance, [[1, 0.5, -0.5], [0.5, 1.25, -1.25], [-0.5, -1.25, 2.25]])
    np.testing.assert_allclose(scm.std, np.sqrt([1, 1.25, 2.25]))
    np.testing.assert_array_equal(scm.mean, 0)
    np.testing.assert_allclose(LinearScm(scm.weights, "exponential").mean, [1, 1.5, -0.5])


@pytest.mark.parametrize(("noise", "skewness"), [("gauss", 0.0), ("exponential", 2.0), ("gumbel", 1.14)])
def test_samples_have_the_analytic_moments_and_the_noise_its_shape(noise, skewness):
    scm = LinearScm(random_weights(erdos_renyi_dag(6, 2, rng(1)), rng(2)), noise)
    samples = scm.sample(200_000, rng(3))
    assert np.abs((np.cov(samples.T) - scm.covariance) / np.outer(scm.std, scm.std)).max() < 0.02
    assert np.abs((samples.mean(axis=0) - scm.mean) / scm.std).max() < 0.01
    alone = scm.without_edges()
    assert alone.noise == noise
    np.testing.assert_allclose(alone.covariance, alone.covariance[0, 0] * np.eye(6))
    samples = alone.sample(200_000, rng(4))
    standard = (samples - samples.mean(axis=0)) / samples.std(axis=0)
    np.testing.assert_allclose((standard**3).mean(axis=0), skewness, atol=0.1)


@pytest.mark.parametrize("theta", [15, -200])
@pytest.mark.parametrize("n", [2, 5, 20])
def test_a_rotation_is_one(n, theta):
    rotation = rotation_matrix(n, theta)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(n), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)
    np.testing.assert_array_equal(rotation_matrix(n, 0), np.eye(n))


def test_a_rotation_is_the_product_over_all_planes():
    cosine, sine = np.cos(np.pi / 6), np.sin(np.pi / 6)
    first = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    second = np.array([[cosine, 0, -sine], [0, 1, 0], [sine, 0, cosine]])
    third = np.array([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
    np.testing.assert_allclose(rotation_matrix(3, 30), first @ second @ third, atol=1e-15)
