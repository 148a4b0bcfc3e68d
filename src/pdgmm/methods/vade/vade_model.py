"""The model: a Gaussian mixture of codes, networks to and from them, and its evidence lower bound.

All but one expectation of the bound are in closed form.
"""

import math
from typing import Literal

import torch
from torch import nn

from pdgmm.fitting.learners import Metrics
from pdgmm.fitting.networks import leaky_mlp
from pdgmm.models.network_model import CodingNetwork

LOG_2PI = math.log(2 * math.pi)


class MixturePrior(nn.Module):
    """``p(c) = pi_c`` and ``p(z | c) = N(z; mu_c, diag s_c)`` for c = 1 … K and z of dimension d.

    ``pi`` is the softmax of ``logits`` (K,); ``means`` and ``log_variances`` are (K, d). All weights and means
    begin equal: only the log variances, drawn from N(0, 1), tell the components apart.
    """

    def __init__(self, components: int, dim: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(components))
        self.means = nn.Parameter(torch.zeros(components, dim))
        self.log_variances = nn.Parameter(torch.randn(components, dim))

    def log_weights(self) -> torch.Tensor:
        """``log pi`` (K,)."""
        return torch.log_softmax(self.logits, dim=0)


class VadeModel(CodingNetwork):
    """``q(z | x) = N(z; mean(x), diag variance(x))``, ``p(x | z) = N(x; g(z), noise_variance I)``, and ``p(z)``.

    The inputs are standardised with the buffers ``input_mean`` and ``input_deviation`` (x_dim,) first; all that
    is said of x elsewhere is about the standardised one. The decoder g mirrors the encoder; ``output`` is what
    follows its last layer.
    """

    def __init__(
        self,
        x_dim: int,
        hidden: list[int],
        latents: int,
        components: int,
        slope: float,
        output: Literal["linear", "sigmoid"],
    ) -> None:
        super().__init__()
        self.latents = latents
        # One last layer for means and log variances: two heads on the same hidden layers.
        self.encoder = leaky_mlp([x_dim, *hidden, 2 * latents], slope)
        self.decoder = leaky_mlp([latents, *hidden[::-1], x_dim], slope)
        self.output = nn.Sigmoid() if output == "sigmoid" else nn.Identity()
        self.prior = MixturePrior(components, latents)
        self.register_buffer("input_mean", torch.zeros(x_dim))
        self.register_buffer("input_deviation", torch.ones(x_dim))

    def standardised(self, x: torch.Tensor) -> torch.Tensor:
        """``(x - mean) / deviation`` of raw samples (samples, x_dim)."""
        return (x - self.input_mean) / self.input_deviation

    def posterior(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean and log variance, both (samples, latents), of ``q(z | x)`` for standardised ``x``."""
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        return mean, log_variance

    def reconstructed(self, z: torch.Tensor) -> torch.Tensor:
        """``g(z)`` (samples, x_dim), a standardised sample."""
        return self.output(self.decoder(z))

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        """The posterior means (samples, latents) of raw samples."""
        return self.posterior(self.standardised(x))[0]

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        """Raw samples (samples, x_dim)."""
        return self.reconstructed(code) * self.input_deviation + self.input_mean

    @torch.no_grad()
    def start_posterior(self, variances: torch.Tensor) -> None:
        """Make ``variances`` (latents,) those of ``q(z | x)``, whatever the sample."""
        last = self.encoder[-1]
        last.weight[self.latents :] = 0
        last.bias[self.latents :] = variances.log()


def expected_log_density(
    prior: MixturePrior, mean: torch.Tensor, variance: torch.Tensor | float
) -> torch.Tensor:
    """``E log N(z; mu_c, diag s_c)`` for ``z ~ N(mean, diag variance)``: (samples, K).

    It is ``-1/2 sum_d [log 2 pi + log s_cd + (variance_d + (mean_d - mu_cd)^2) / s_cd]``. With ``variance`` 0 it
    is the log density at ``mean``.
    """
    # Multiplied out into matrix products: no array of samples x K x d.
    precision = torch.exp(-prior.log_variances)
    quadratic = (
        (mean.square() + variance) @ precision.T
        - 2 * mean @ (prior.means * precision).T
        + (prior.means.square() * precision).sum(dim=1)
    )
    return -0.5 * (quadratic + (prior.log_variances + LOG_2PI).sum(dim=1))


def log_responsibilities(prior: MixturePrior, z: torch.Tensor) -> torch.Tensor:
    """``log gamma_c = log p(c | z)`` (samples, K) of codes ``z`` (samples, d)."""
    return torch.log_softmax(prior.log_weights() + expected_log_density(prior, z, 0.0), dim=1)


def divergence(
    prior: MixturePrior, mean: torch.Tensor, log_variance: torch.Tensor, log_gamma: torch.Tensor
) -> torch.Tensor:
    """``KL(q(z | x) q(c | x) || p(z, c))`` (samples,) for ``q(c | x) = gamma``.

    It is ``sum_c gamma_c [log gamma_c - log pi_c - E log p(z | c)]`` less the entropy of ``q(z | x)``, which is
    ``1/2 sum_d [1 + log 2 pi + log variance_d]``.
    """
    cross = expected_log_density(prior, mean, log_variance.exp())
    mixture = (log_gamma.exp() * (log_gamma - prior.log_weights() - cross)).sum(dim=1)
    return mixture - 0.5 * (1 + LOG_2PI + log_variance).sum(dim=1)


def reconstruction_loss(model: VadeModel, x: torch.Tensor, z: torch.Tensor, noise: float) -> torch.Tensor:
    """``-log N(x; g(z), noise I)`` (samples,) for the variance ``noise``."""
    squares = (model.reconstructed(z) - x).square() / noise
    return 0.5 * (squares + LOG_2PI + math.log(noise)).sum(dim=1)


def autoencoder_loss(model: VadeModel, x: torch.Tensor, noise: float) -> Metrics:
    """The reconstruction from the posterior means alone, with which the networks are pretrained."""
    mean, _ = model.posterior(x)
    loss = reconstruction_loss(model, x, mean, noise).mean()
    return {"loss": loss, "reconstruction": loss}


def negative_elbo(model: VadeModel, x: torch.Tensor, noise: float) -> Metrics:
    """The mean over standardised samples ``x`` (samples, x_dim) of minus their evidence lower bound.

    The bound is ``E_q log p(x | z) - KL(q(z | x) q(c | x) || p(z, c)) <= log p(x)``, estimated with one ``z`` a
    sample. ``q(c | x)`` is ``p(c | z)`` at that z, as in Jiang et al. (2017); the bound holds for any. The metric
    ``components_per_sample`` is ``exp`` of the mean entropy of ``q(c | x)``: 1 where the components are told
    apart, K where they are not.
    """
    mean, log_variance = model.posterior(x)
    z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
    log_gamma = log_responsibilities(model.prior, z)
    reconstruction = reconstruction_loss(model, x, z, noise).mean()
    from_prior = divergence(model.prior, mean, log_variance, log_gamma).mean()
    entropy = -(log_gamma.exp() * log_gamma).sum(dim=1).mean()
    return {
        "loss": reconstruction + from_prior,
        "reconstruction": reconstruction,
        "divergence": from_prior,
        "components_per_sample": entropy.exp(),
    }
