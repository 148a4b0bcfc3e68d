import numpy as np
import pytest
import torch

from pdgmm.errors import FitFailed
from pdgmm.methods.vade.vade_fitting import start_mixture
from pdgmm.methods.vae.vae_network import VaeNetwork


@pytest.fixture
def started():
    """A model whose codes are its standardised inputs, started from three clusters in the plane."""
    rng = np.random.default_rng(0)
    component = rng.choice(3, size=3000, p=[0.2, 0.3, 0.5])
    centres = np.array([[-10.0, 0.0], [0.0, 10.0], [10.0, 0.0]])
    x = (centres[component] + rng.normal(size=(3000, 2)) * [0.5, 2.0]).astype(np.float32)
    model = VaeNetwork(
        x_dim=2,
        latents=2,
        encoder=[],
        decoder=[],
        slope=0,
        prior={"kind": "mixture", "components": 3},
        likelihood={"kind": "gaussian"},
    )
    with torch.no_grad():
        model.encoder[-1].weight[:2] = torch.eye(2)
        model.encoder[-1].bias[:2] = 0
        model.input_deviation.fill_(2.0)
    start_mixture(model, x, noise_variance=0.01, seed=1)
    return model, x


def test_mixture_and_posterior_are_those_of_the_clusters(started):
    model, x = started
    prior, noise = model.prior, 0.01 * (x / 2).var(axis=0)
    order = prior.means[:, 0].argsort()
    np.testing.assert_allclose(prior.log_weights().exp()[order].detach(), [0.2, 0.3, 0.5], atol=0.03)
    np.testing.assert_allclose(prior.means[order].detach(), [[-5, 0], [0, 5], [5, 0]], atol=0.15)
    widened = np.array([0.25**2, 1.0]) + noise
    np.testing.assert_allclose(prior.log_variances.exp().detach(), [widened] * 3, rtol=0.15)
    mean, log_variance = model.posterior(model.standardised(torch.from_numpy(x)))
    np.testing.assert_allclose(mean.detach(), x / 2, rtol=1e-5)
    np.testing.assert_allclose(log_variance.exp().detach(), np.broadcast_to(noise, x.shape), rtol=1e-3)


def test_codes_that_are_not_finite_are_a_recorded_failure(started):
    model, x = started
    with torch.no_grad():
        model.encoder[-1].bias[0] = float("nan")
    with pytest.raises(FitFailed, match="diverged"):
        start_mixture(model, x, noise_variance=0.01, seed=1)


def test_codes_that_all_coincide_are_a_start_too(started):
    model, x = started
    with torch.no_grad():
        model.encoder[-1].weight.zero_()
    start_mixture(model, x, noise_variance=0.01, seed=1)
    assert all(torch.isfinite(parameter).all() for parameter in model.parameters())
