"""The evidence lower bound of a VaDE, all but one expectation in closed form."""

import math

import torch

from pdgmm.fitting.learners import Metrics
from pdgmm.methods.vade.vade_model import MixturePrior, VadeModel

LOG_2PI = math.log(2 * math.pi)


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
