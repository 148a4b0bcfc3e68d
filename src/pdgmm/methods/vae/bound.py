"""The evidence lower bound, whatever the prior, and the autoencoder's loss that networks may be pretrained with."""

import torch

from pdgmm.fitting.learners import Metrics
from pdgmm.methods.vae.vae_network import VaeNetwork


def autoencoder_loss(network: VaeNetwork, x: torch.Tensor, u: torch.Tensor | None = None) -> Metrics:
    """The mean of ``-log p(x | z)`` with ``z`` the posterior means alone."""
    loss = network.reconstruction_loss(x, network.posterior(x, u).mean).mean()
    return {"loss": loss, "reconstruction": loss}


def negative_elbo(
    network: VaeNetwork,
    x: torch.Tensor,
    u: torch.Tensor | None = None,
    *,
    divergence_weight: float = 1.0,
) -> Metrics:
    """The mean over standardised samples ``x`` (samples, x_dim) of minus their evidence lower bound.

    The bound is ``E_q log p(x | z) - KL(q(z | x) || p(z)) <= log p(x)``, estimated with one ``z`` a sample;
    ``divergence_weight`` multiplies the second term (Higgins et al., 2017), with which it may be no bound.
    ``loss`` is what to minimise; a method that adds a penalty adds it to that.
    """
    posterior = network.posterior(x, u)
    z = posterior.draw()
    divergence, recorded = network.prior.divergence(posterior, z, u)
    reconstruction, divergence = network.reconstruction_loss(x, z).mean(), divergence.mean()
    loss = reconstruction + divergence_weight * divergence
    return {"loss": loss, "reconstruction": reconstruction, "divergence": divergence, **recorded}


@torch.no_grad()
def held_out_bound(network: VaeNetwork, x: torch.Tensor, u: torch.Tensor | None = None) -> float:
    """The evidence lower bound, in nats a sample, of raw samples ``x`` that were not trained on.

    It includes the volume factor of the standardisation, so that fits with different ones can be compared.
    """
    loss = negative_elbo(network, network.standardised(x), u)["loss"]
    return -float(loss + network.input_deviation.log().sum())
