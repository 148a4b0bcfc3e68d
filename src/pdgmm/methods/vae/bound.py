"""The evidence lower bound for any prior, and the loss of an autoencoder, with which networks may be pretrained."""

import torch

from pdgmm.fitting.learners import Metrics
from pdgmm.methods.vae.vae_network import VaeNetwork


def autoencoder_loss(network: VaeNetwork, x: torch.Tensor, u: torch.Tensor | None = None) -> Metrics:
    """The mean of ``-log p(x | z)``, where ``z`` is the posterior mean."""
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

    The bound is ``E_q log p(x | z) - KL(q(z | x) || p(z)) <= log p(x)``, estimated with one ``z`` per sample.
    ``divergence_weight`` multiplies the second term (Higgins et al., 2017); then it may no longer be a bound.
    ``loss`` is to be minimised; a method with a penalty adds it to the loss.
    """
    posterior = network.posterior(x, u)
    z = posterior.draw()
    divergence, recorded = network.prior.divergence(posterior, z, u)
    reconstruction, divergence = network.reconstruction_loss(x, z).mean(), divergence.mean()
    loss = reconstruction + divergence_weight * divergence
    return {"loss": loss, "reconstruction": reconstruction, "divergence": divergence, **recorded}


@torch.no_grad()
def held_out_bound(network: VaeNetwork, x: torch.Tensor, u: torch.Tensor | None = None) -> float:
    """The evidence lower bound, in nats per sample, of raw samples ``x`` that were not used in training.

    It includes the volume factor of the standardisation, so that fits with different ones can be compared.
    """
    loss = negative_elbo(network, network.standardised(x), u)["loss"]
    return -float(loss + network.input_deviation.log().sum())
