"""The torch side of VAEs with a penalty on the decoder."""

import numpy as np
import torch

from pdgmm.fitting.learners import Metrics
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.ddl.penalised_vaes import Vae
from pdgmm.methods.ddl.penalties import column_products, mean_absolute, scaled_jacobian, second_differences
from pdgmm.methods.vae.bound import negative_elbo
from pdgmm.methods.vae.vae_fitting import fit_vae
from pdgmm.methods.vae.vae_network import VaeNetwork
from pdgmm.models.network_model import NetworkModel

PENALTIES = {"sparse": mean_absolute, "hessian": second_differences, "orthogonal": column_products}

JACOBIAN_ROWS = 4000
"""Samples over which the claimed Jacobian is averaged."""


def fit_penalised(settings: Vae, data: Samples, run: Run) -> Fitted:
    """Train the network that ``settings`` describe, with its penalty at the posterior means."""

    def objective(network: VaeNetwork, x: torch.Tensor, u: torch.Tensor | None = None) -> Metrics:
        metrics = negative_elbo(network, x, u, divergence_weight=settings.divergence_weight)
        if settings.penalty != "none" and settings.weight:
            penalty = PENALTIES[settings.penalty](network.decoder, network.posterior(x, u).mean)
            metrics = metrics | {"loss": metrics["loss"] + settings.weight * penalty, "penalty": penalty}
        return metrics

    model = fit_vae(settings, data, run, prior={"kind": "normal"}, objective=objective)
    return Fitted(model, jacobian_claim(model, data))


@torch.no_grad()
def jacobian_claim(model: NetworkModel, data: Samples) -> dict[str, np.ndarray]:
    """The claim ``jacobian`` (x_dim, latents): ``sqrt(E J_ij^2)``, with inputs and codes in standard deviations."""
    network = model.network.train(False)
    x = network.standardised(torch.from_numpy(data.array(JACOBIAN_ROWS)))
    return {"jacobian": scaled_jacobian(network.decoder, network.posterior(x).mean).numpy()}
