import numpy as np
import pytest

from pdgmm.data.dag import erdos_renyi_dag, random_weights
from pdgmm.data.scm import LinearScm

NOISES = ["gauss", "exponential", "gumbel"]


def drawn_scm(noise):
    adjacency = erdos_renyi_dag(6, 2, np.random.default_rng(1))
    return LinearScm(random_weights(adjacency, np.random.default_rng(2)), noise)


def test_chain_by_hand():
    # 0 -> 1 with weight 0.5, 1 -> 2 with weight -1: z1 = 0.5 e0 + e1, z2 = -z1 + e2.
    scm = LinearScm(np.array([[0, 0.5, 0], [0, 0, -1], [0, 0, 0]]))
    np.testing.assert_allclose(scm.covariance, [[1, 0.5, -0.5], [0.5, 1.25, -1.25], [-0.5, -1.25, 2.25]])
    np.testing.assert_allclose(scm.std, np.sqrt([1, 1.25, 2.25]))
    np.testing.assert_array_equal(scm.mean, 0)
    np.testing.assert_allclose(LinearScm(scm.weights, "exponential").mean, [1, 1.5, -0.5])


@pytest.mark.parametrize("noise", NOISES)
def test_samples_have_the_analytic_moments(noise):
    scm = drawn_scm(noise)
    samples = scm.sample(200_000, np.random.default_rng(3))
    scale = np.outer(scm.std, scm.std)
    assert np.abs((np.cov(samples.T) - scm.covariance) / scale).max() < 0.02
    assert np.abs((samples.mean(axis=0) - scm.mean) / scm.std).max() < 0.01
    np.testing.assert_allclose(samples.std(axis=0), scm.std, rtol=0.02)


@pytest.mark.parametrize(("noise", "skewness"), [("gauss", 0.0), ("exponential", 2.0), ("gumbel", 1.14)])
def test_noise_has_the_shape_of_its_name(noise, skewness):
    samples = LinearScm(np.zeros((2, 2)), noise).sample(200_000, np.random.default_rng(4))
    standard = (samples - samples.mean(axis=0)) / samples.std(axis=0)
    assert (standard**3).mean() == pytest.approx(skewness, abs=0.06)


@pytest.mark.parametrize("noise", NOISES)
def test_without_edges_keeps_the_noise_only(noise):
    alone = drawn_scm(noise).without_edges()
    np.testing.assert_allclose(alone.covariance, alone.covariance[0, 0] * np.eye(6))
    assert alone.noise == noise
