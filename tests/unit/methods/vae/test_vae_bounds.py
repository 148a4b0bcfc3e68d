"""Divergences and bounds of every prior against averages over many draws, and against the likelihood itself."""

import math

import pytest
import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal

from pdgmm.methods.vae.bound import autoencoder_loss, held_out_bound, negative_elbo
from pdgmm.methods.vae.likelihoods import make_likelihood
from pdgmm.methods.vae.posterior import Posterior
from pdgmm.methods.vae.priors import make_prior
from pdgmm.methods.vae.vae_network import VaeNetwork

DRAWS = 100_000
NOISE = 0.3
GAUSSIAN = {"kind": "gaussian", "variance": NOISE}
PRIORS = {
    "normal": {"kind": "normal"},
    "conditional": {"kind": "conditional", "classes": 3},
    "mixture": {"kind": "mixture", "components": 4},
    "facets": {"kind": "facets", "components": 3, "facets": 2},
}
U = 1
"""The class of every sample below, for priors that see one."""


def network(prior, likelihood=GAUSSIAN, **more):
    """A small network with a random prior, in float64."""
    torch.manual_seed(0)
    built = VaeNetwork(
        x_dim=3, latents=2, encoder=[5], decoder=[4], slope=0.1, prior=prior, likelihood=likelihood, **more
    ).double()
    with torch.no_grad():
        for parameter in built.prior.parameters():
            parameter.normal_(std=0.5)
    return built.requires_grad_(False)


def normal(mean, log_variance):
    return Independent(Normal(mean, torch.exp(0.5 * log_variance)), 1)


def mixture_density(mixture):
    components = normal(mixture.means, mixture.log_variances)
    return MixtureSameFamily(Categorical(logits=mixture.logits), components)


def density(prior):
    """An independent version of ``log p(z)`` and draws from it."""
    if hasattr(prior, "mixtures"):
        parts = [mixture_density(mixture) for mixture in prior.mixtures]
        return (
            lambda z: sum(part.log_prob(z[..., j : j + 1]) for j, part in enumerate(parts)),
            lambda count: torch.cat([part.sample((count,)) for part in parts], dim=1),
        )
    if hasattr(prior, "logits"):
        law = mixture_density(prior)
    elif hasattr(prior, "means"):
        law = normal(prior.means[U], prior.log_variances[U])
    else:
        law = normal(torch.zeros(2).double(), torch.zeros(2).double())
    return law.log_prob, lambda count: law.sample((count,))


@pytest.fixture
def posterior():
    """q(z | x) of three samples."""
    torch.manual_seed(1)
    return Posterior(torch.randn(3, 2).double(), 0.5 * torch.randn(3, 2).double() - 1)


@pytest.fixture
def mixture():
    return network(PRIORS["mixture"]).prior


@pytest.mark.parametrize("kind", ["normal", "conditional", "facets"])
def test_the_divergence_is_an_average_over_the_posterior(kind, posterior):
    prior = network(PRIORS[kind]).prior
    log_prior, _ = density(prior)
    many = Posterior(*(part.repeat(DRAWS, 1) for part in posterior))
    torch.manual_seed(2)
    z = many.draw()
    log_q = normal(*many).log_prob(z)
    expected = (log_q - log_prior(z)).reshape(DRAWS, 3).mean(dim=0)
    u = torch.full((len(z),), U)
    computed = prior.divergence(many, z, u)[0].reshape(DRAWS, 3).mean(dim=0)
    torch.testing.assert_close(computed, expected, rtol=0.01, atol=0.02)


def test_the_facets_loss_is_the_published_sum_over_components(posterior):
    prior = network(PRIORS["facets"]).prior
    z, total = posterior.mean + 0.3, normal(*posterior).log_prob(posterior.mean + 0.3)
    for j, mixture in enumerate(prior.mixtures):
        gamma = mixture.log_responsibilities(z[:, j : j + 1]).exp()
        of_component = normal(mixture.means, mixture.log_variances).log_prob(z[:, None, j : j + 1])
        total = total - (gamma * of_component).sum(dim=1)
        total = total + (gamma * (gamma.log() - torch.log_softmax(mixture.logits, 0))).sum(dim=1)
    torch.testing.assert_close(prior.divergence(posterior, z)[0], total)


def test_facets_must_divide_the_code():
    with pytest.raises(ValueError, match="5 latents cannot be cut into 2"):
        make_prior("facets", 5, components=3, facets=2)


def test_the_expected_log_density_is_an_average_over_the_posterior(mixture, posterior):
    torch.manual_seed(2)
    z = normal(*posterior).sample((DRAWS,))
    average = normal(mixture.means, mixture.log_variances).log_prob(z[:, :, None]).mean(dim=0)
    closed = mixture.expected_log_density(posterior.mean, posterior.log_variance.exp())
    torch.testing.assert_close(closed, average, rtol=0.01, atol=0.02)


def test_responsibilities_and_density_of_a_mixture_are_bayes_rule(mixture, posterior):
    z = posterior.mean
    joint = mixture.log_weights() + normal(mixture.means, mixture.log_variances).log_prob(z[:, None])
    log_gamma, log_density = mixture.log_responsibilities(z), mixture_density(mixture).log_prob(z)
    torch.testing.assert_close(log_gamma, joint - log_density[:, None])
    torch.testing.assert_close(log_gamma.exp().sum(dim=1), torch.ones(3).double())
    torch.testing.assert_close(mixture.log_density(z), log_density)


def test_the_divergence_of_a_mixture_is_an_average_over_codes_and_components(mixture, posterior):
    gamma = torch.softmax(torch.randn(3, 4).double(), dim=1)
    torch.manual_seed(2)
    z, c = normal(*posterior).sample((DRAWS,)), Categorical(gamma).sample((DRAWS,))
    log_q = normal(*posterior).log_prob(z)
    log_q = log_q + gamma.log().expand(DRAWS, -1, -1).gather(2, c[..., None])[..., 0]
    of_components = normal(mixture.means, mixture.log_variances).log_prob(z[:, :, None])
    log_p = mixture.log_weights()[c] + of_components.gather(2, c[..., None])[..., 0]
    closed = mixture.joint_divergence(posterior, gamma.log())
    torch.testing.assert_close(closed, (log_q - log_p).mean(dim=0), rtol=0.01, atol=0.02)


def test_entropy_and_density_of_the_posterior(posterior):
    law = normal(*posterior)
    torch.testing.assert_close(posterior.entropy(), law.entropy())
    torch.testing.assert_close(posterior.log_density(posterior.mean + 1), law.log_prob(posterior.mean + 1))


def test_likelihoods_are_those_of_torch():
    torch.manual_seed(4)
    output, x = torch.randn(6, 3).double(), torch.rand(6, 3).double()
    for likelihood in (
        make_likelihood("gaussian", variance=NOISE),
        make_likelihood("gaussian", variance=NOISE, learned=True),
    ):
        expected = -Normal(output, NOISE**0.5).log_prob(x).sum(dim=1)
        torch.testing.assert_close(likelihood.double().loss(output, x), expected, rtol=1e-6, atol=1e-6)
    squashed = make_likelihood("gaussian", variance=NOISE, squashed=True)
    expected = -Normal(torch.sigmoid(output), NOISE**0.5).log_prob(x).sum(dim=1)
    torch.testing.assert_close(squashed.loss(output, x), expected)
    bernoulli = make_likelihood("bernoulli")
    grey = -(x * bernoulli.mean(output).log() + (1 - x) * (1 - bernoulli.mean(output)).log()).sum(dim=1)
    torch.testing.assert_close(bernoulli.loss(output, x), grey)


def test_pretraining_reconstructs_from_the_posterior_means():
    model, x = network(PRIORS["mixture"]), torch.randn(6, 3).double()
    expected = -Normal(model.decode(model.encode(x)), NOISE**0.5).log_prob(x).sum(dim=1).mean()
    torch.testing.assert_close(autoencoder_loss(model, x)["loss"], expected)


@pytest.mark.parametrize(
    ("kind", "variance"),
    [("normal", "exp"), ("conditional", "softplus"), ("mixture", "exp"), ("facets", "softplus")],
)
def test_the_bound_is_below_the_likelihood_but_not_by_much(kind, variance):
    model = network(PRIORS[kind], variance=variance, softplus_beta=2.0, classes=3 * (kind == "conditional"))
    torch.manual_seed(3)
    _, draw = density(model.prior)
    x, u = model.decode(draw(1)) + NOISE**0.5 * torch.randn(1, 3).double(), torch.tensor([U])
    # Importance sampling with the prior as proposal: p(x) = E p(x | z).
    log_weights = -model.reconstruction_loss(x, draw(DRAWS))
    effective_draws = torch.exp(2 * log_weights.logsumexp(dim=0) - (2 * log_weights).logsumexp(dim=0))
    assert effective_draws > 5_000  # so the estimate is within about 0.02
    log_likelihood = float(log_weights.logsumexp(dim=0)) - math.log(DRAWS)

    def bound(samples):
        return held_out_bound(model, x.expand(samples, -1), u.expand(samples))

    assert bound(DRAWS) < log_likelihood
    fit_posterior(model, x, u)
    assert log_likelihood - 1 < bound(DRAWS) < log_likelihood + 0.01


def fit_posterior(model, x, u):
    """Raise the bound of the one sample ``x`` by the encoder's last bias: the tightest q(z | x)."""
    bias = model.encoder[-1].bias.requires_grad_(True)
    optimizer = torch.optim.Adam([bias], lr=0.05)
    for _ in range(300):
        optimizer.zero_grad()
        negative_elbo(model, x.expand(50, -1), u.expand(50))["loss"].backward()
        optimizer.step()
    bias.requires_grad_(False)


def test_the_held_out_bound_counts_the_scale_of_the_inputs():
    model, x = network(PRIORS["normal"]), torch.randn(1, 3).double().expand(DRAWS, -1)
    torch.manual_seed(5)
    before = held_out_bound(model, x)
    model.input_deviation.fill_(10.0)
    torch.manual_seed(5)
    assert held_out_bound(model, 10 * x) == pytest.approx(before - 3 * math.log(10))


@pytest.mark.parametrize(("distance", "expected"), [(0.0, 4.0), (100.0, 1.0)])
def test_components_per_sample_counts_those_that_cannot_be_told_apart(distance, expected):
    model = network(PRIORS["mixture"])
    with torch.no_grad():
        model.prior.logits.zero_()
        model.prior.log_variances.zero_()
        model.prior.means.copy_(distance * torch.arange(4)[:, None].expand(4, 2))
    x = torch.randn(50, 3).double()
    metrics = negative_elbo(model, x, divergence_weight=0.5)
    assert float(metrics["components_per_sample"]) == pytest.approx(expected, rel=1e-3)
    torch.testing.assert_close(metrics["loss"], metrics["reconstruction"] + 0.5 * metrics["divergence"])


@pytest.mark.parametrize("variance", ["exp", "softplus"])
def test_the_posterior_can_be_started_at_given_variances(variance):
    model = network(PRIORS["normal"], variance=variance, softplus_beta=10.0)
    model.start_posterior(torch.tensor([0.01, 2.0]).double())
    log_variance = model.posterior(torch.randn(4, 3).double()).log_variance
    torch.testing.assert_close(
        log_variance.exp(), torch.tensor([[0.01, 2.0]]).double().expand(4, 2), rtol=1e-3, atol=0
    )
