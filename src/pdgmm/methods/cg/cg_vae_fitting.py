"""The torch side of CG-VAE: the bound with the sparsity of the decoder, whose weight rises in training."""

from functools import partial
from typing import Any

import torch

from pdgmm.fitting.decoder_jacobian import layers_jacobian
from pdgmm.fitting.learners import Batch, Metrics
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.cg.cg_vae import CgVae
from pdgmm.methods.cg.generated import generated_claim
from pdgmm.methods.cg.jacobian_sum import jacobian_sum
from pdgmm.methods.ddl.penalised_fitting import jacobian_claim
from pdgmm.methods.domains.domain_rows import checked_domains
from pdgmm.methods.vae.vae_fitting import fit_vae
from pdgmm.methods.vae.vae_network import VaeNetwork
from pdgmm.methods.vae.vae_training import VaeLearner


def fit_cg_vae(settings: CgVae, data: Samples, run: Run) -> Fitted:
    """Train the network that ``settings`` describe on ``data``."""
    domains = int(checked_domains(data).max()) + 1
    kinds: dict[str, dict[str, Any]] = {
        "sigmoidal": {"kind": "sigmoidal", "classes": domains},
        "gaussian": {"kind": "conditional", "classes": domains},
    }
    model = fit_vae(
        settings,
        data,
        run,
        prior=kinds[settings.prior] if settings.domains else {"kind": "normal"},
        learner=partial(CgVaeLearner, settings=settings),
    )
    network = model.network
    generated = generated_claim(lambda u: network.decode(network.prior.draw(u)), data, run)
    return Fitted(model, jacobian_claim(model, data) | generated)


class CgVaeLearner(VaeLearner):
    """Minimises the loss of :class:`CgVae`."""

    def __init__(self, network: VaeNetwork, *, settings: CgVae, **options: Any) -> None:
        super().__init__(network, **options)
        self._settings = settings

    def _loss(self, batch: Batch) -> Metrics:
        settings, network = self._settings, self._model
        x, u = network.standardised(batch["x"]), batch["u"]
        rising = settings.warmup * settings.steps
        weight = settings.alpha * (min(1.0, self._step / rising) if rising else 1.0)
        posterior = network.posterior(x)
        z = posterior.draw()
        divergence, _ = network.prior.divergence(posterior, z, u)
        if settings.alpha:
            output, jacobian = layers_jacobian(network.decoder, z)
            sparsity = jacobian_sum(jacobian, z, scaled=settings.scaled)
        else:
            output, sparsity = network.decoder(z), torch.zeros((), device=x.device)
        reconstruction, divergence = network.likelihood.loss(output, x).mean(), divergence.mean()
        loss = reconstruction + settings.beta * divergence + weight * sparsity
        parts = {"reconstruction": reconstruction, "divergence": divergence, "jacobian_sum": sparsity}
        return {"loss": loss, **parts}
