import numpy as np
import torch
from scipy.special import expit
from scipy.stats import multivariate_normal

from pdgmm.methods.spike_slab.patterns import find_supports, pattern_log_densities


def test_exactly_the_true_supports_are_found_with_their_weights():
    rng = np.random.default_rng(0)
    true = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 0, 1]], dtype=bool)
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    component = rng.choice(4, size=4000, p=weights)
    latents = rng.normal(size=(4000, 4))
    latents[:, 1] += 0.7 * latents[:, 0]
    code = np.where(true[component], latents, 0) + 0.05 * rng.normal(size=(4000, 4))
    spike = expit(3 - 0.5 * (code / 0.05) ** 2)
    found = find_supports(torch.from_numpy(code), torch.from_numpy(spike))
    np.testing.assert_array_equal(found.active, true)
    np.testing.assert_allclose(found.weights, weights, atol=0.03)


def test_the_densities_are_those_of_scipy():
    rng = np.random.default_rng(0)
    u, active = rng.normal(size=(20, 3)), np.array([[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 1, 0]])
    root, mean, width = rng.normal(size=(3, 3)), rng.normal(size=3), np.array([0.1, 0.2, 0.3])
    covariance = root @ root.T + 0.1 * np.eye(3)
    expected = [
        multivariate_normal(a * mean, np.outer(a, a) * covariance + np.diag((1 - a) * width**2)).logpdf(u)
        for a in active
    ]
    tensors = (torch.from_numpy(array) for array in (u, active.astype(float), mean, covariance, width))
    np.testing.assert_allclose(pattern_log_densities(*tensors), np.transpose(expected), rtol=1e-9)
