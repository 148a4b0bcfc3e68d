import numpy as np
from scipy.special import expit

from pdgmm.methods.spike_slab.patterns import find_supports


def test_exactly_the_true_supports_are_found_with_their_weights():
    rng = np.random.default_rng(0)
    true = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 0, 1]], dtype=bool)
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    component = rng.choice(4, size=4000, p=weights)
    latents = rng.normal(size=(4000, 4))
    latents[:, 1] += 0.7 * latents[:, 0]
    code = np.where(true[component], latents, 0) + 0.05 * rng.normal(size=(4000, 4))
    spike = expit(3 - 0.5 * (code / 0.05) ** 2)
    found = find_supports(code, spike)
    np.testing.assert_array_equal(found.active, true)
    np.testing.assert_allclose(found.weights, weights, atol=0.03)
