"""The torch side of the multi-facet clustering VAE."""

import math

import numpy as np
import torch

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.mfcvae.mfcvae import Mfcvae
from pdgmm.methods.vae.mixture_start import fitted_mixture, mixture_claims
from pdgmm.methods.vae.vae_fitting import fit_vae
from pdgmm.methods.vae.vae_network import VaeNetwork
from pdgmm.models.network_model import in_batches
from pdgmm.seeds import child_seed

SHARPNESS = 10.0
"""The sharpness of the softplus that gives the posterior's variances."""


def fit_mfcvae(settings: Mfcvae, data: Samples, run: Run) -> Fitted:
    """Train the network that ``settings`` describe; with one facet, the fit claims the mixture of its codes."""

    def start(network: VaeNetwork) -> None:
        x, seed = data.array(settings.mixture_samples), child_seed(run.seed, "mixture")
        start_means(network, x, variance=settings.start_variance, seed=seed)

    prior = {"kind": "facets", "components": settings.components, "facets": settings.facets}
    model = fit_vae(
        settings, data, run, prior=prior, start=start, variance="softplus", softplus_beta=SHARPNESS
    )
    mixtures = model.network.prior.mixtures
    return Fitted(model, mixture_claims(mixtures[0]) if len(mixtures) == 1 else {})


@torch.no_grad()
def start_means(network: VaeNetwork, x: np.ndarray, *, variance: float, seed: int) -> None:
    """Set the means of every facet to those of a mixture fitted to the codes of raw samples ``x``; equal weights."""
    codes = in_batches(network.encode, x, network.input_mean.device)
    parts = np.split(codes, len(network.prior.mixtures), axis=1)
    for mixture, part in zip(network.prior.mixtures, parts, strict=True):
        mixture.means.copy_(torch.from_numpy(fitted_mixture(part, len(mixture.logits), seed).means_))
        mixture.log_variances.fill_(math.log(variance))
        mixture.logits.zero_()
