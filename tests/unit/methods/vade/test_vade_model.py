"""The evidence lower bound against averages over many samples, and against the likelihood itself."""

import math

import pytest
import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal

from pdgmm.methods.vade.vade_model import (
    VadeModel,
    autoencoder_loss,
    divergence,
    expected_log_density,
    log_responsibilities,
    negative_elbo,
    reconstruction_loss,
)

DRAWS = 200_000
NOISE = 0.3


@pytest.fixture
def model():
    """A small model with a random mixture, in float64."""
    torch.manual_seed(0)
    model = VadeModel(3, [5], 2, 4, slope=0.1, output="linear").double()
    with torch.no_grad():
        model.prior.logits.normal_()
        model.prior.means.normal_()
        model.prior.log_variances.normal_(std=0.5)
    return model.requires_grad_(False)


@pytest.fixture
def posterior():
    """Means and log variances of q(z | x) for three samples."""
    torch.manual_seed(1)
    return torch.randn(3, 2).double(), 0.5 * torch.randn(3, 2).double() - 1


def component_densities(prior):
    return Independent(Normal(prior.means, torch.exp(0.5 * prior.log_variances)), 1)


def mixture(prior):
    return MixtureSameFamily(Categorical(logits=prior.logits), component_densities(prior))


def draws_of(mean, log_variance):
    torch.manual_seed(2)
    return Independent(Normal(mean, torch.exp(0.5 * log_variance)), 1).sample((DRAWS,))


def test_the_expected_log_density_is_an_average_over_the_posterior(model, posterior):
    z = draws_of(*posterior)
    average = component_densities(model.prior).log_prob(z[:, :, None]).mean(dim=0)
    closed = expected_log_density(model.prior, posterior[0], posterior[1].exp())
    torch.testing.assert_close(closed, average, rtol=0.01, atol=0.02)


def test_responsibilities_are_bayes_rule(model, posterior):
    z, _ = posterior
    joint = model.prior.log_weights() + component_densities(model.prior).log_prob(z[:, None])
    log_gamma = log_responsibilities(model.prior, z)
    torch.testing.assert_close(log_gamma, joint - mixture(model.prior).log_prob(z)[:, None])
    torch.testing.assert_close(log_gamma.exp().sum(dim=1), torch.ones(3).double())


def test_the_divergence_is_an_average_over_codes_and_components(model, posterior):
    mean, log_variance = posterior
    gamma = torch.softmax(torch.randn(3, 4).double(), dim=1)
    z = draws_of(mean, log_variance)
    c = Categorical(gamma).sample((DRAWS,))
    log_q = Independent(Normal(mean, torch.exp(0.5 * log_variance)), 1).log_prob(z)
    log_q = log_q + gamma.log().expand(DRAWS, -1, -1).gather(2, c[..., None])[..., 0]
    log_p = model.prior.log_weights()[c]
    log_p = log_p + component_densities(model.prior).log_prob(z[:, :, None]).gather(2, c[..., None])[..., 0]
    closed = divergence(model.prior, mean, log_variance, gamma.log())
    torch.testing.assert_close(closed, (log_q - log_p).mean(dim=0), rtol=0.01, atol=0.02)


def test_the_reconstruction_is_a_gaussian_likelihood_and_pretraining_that_of_the_posterior_means(model):
    x = torch.randn(6, 3).double()
    mean, _ = model.posterior(x)
    expected = -Normal(model.decode(mean), NOISE**0.5).log_prob(x).sum(dim=1)
    torch.testing.assert_close(reconstruction_loss(model, x, mean, NOISE), expected)
    torch.testing.assert_close(autoencoder_loss(model, x, NOISE)["loss"], expected.mean())


def test_the_bound_is_below_the_likelihood_but_not_by_much(model):
    torch.manual_seed(3)
    x = model.decode(mixture(model.prior).sample((1,))) + NOISE**0.5 * torch.randn(1, 3).double()
    # Importance sampling with the prior as proposal: p(x) = E p(x | z).
    log_weights = -reconstruction_loss(model, x, mixture(model.prior).sample((DRAWS,)), NOISE)
    effective_draws = torch.exp(2 * log_weights.logsumexp(dim=0) - (2 * log_weights).logsumexp(dim=0))
    assert effective_draws > 5_000  # so the estimate is within about 0.02
    log_likelihood = float(log_weights.logsumexp(dim=0)) - math.log(DRAWS)

    def bound(samples):
        return -float(negative_elbo(model, x.expand(samples, -1), NOISE)["loss"])

    assert bound(DRAWS) < log_likelihood
    fit_posterior(model, x)
    assert log_likelihood - 1 < bound(DRAWS) < log_likelihood


def fit_posterior(model, x):
    """Raise the bound of the one sample ``x`` by the encoder's last bias: the tightest q(z | x)."""
    bias = model.encoder[-1].bias.requires_grad_(True)
    optimizer = torch.optim.Adam([bias], lr=0.05)
    for _ in range(300):
        optimizer.zero_grad()
        negative_elbo(model, x.expand(100, -1), NOISE)["loss"].backward()
        optimizer.step()
    bias.requires_grad_(False)


@pytest.mark.parametrize(("distance", "expected"), [(0.0, 4.0), (100.0, 1.0)])
def test_components_per_sample_counts_those_that_cannot_be_told_apart(model, distance, expected):
    with torch.no_grad():
        model.prior.logits.zero_()
        model.prior.log_variances.zero_()
        model.prior.means.copy_(distance * torch.arange(4)[:, None].expand(4, 2))
    metrics = negative_elbo(model, torch.randn(50, 3).double(), NOISE)
    assert float(metrics["components_per_sample"]) == pytest.approx(expected, rel=1e-3)
    torch.testing.assert_close(metrics["loss"], metrics["reconstruction"] + metrics["divergence"])
