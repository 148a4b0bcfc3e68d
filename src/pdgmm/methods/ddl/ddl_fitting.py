"""The torch side of our version of diverse dictionary learning."""

from functools import partial
from typing import Any

import torch

from pdgmm.fitting.learners import Batch, Metrics
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.ddl.ddl import Ddl
from pdgmm.methods.ddl.penalised_fitting import JACOBIAN_ROWS, jacobian_claim
from pdgmm.methods.ddl.penalties import log_sum, scaled_jacobian
from pdgmm.methods.ddl.sparse_rotation import turn_to_sparsest
from pdgmm.methods.vae.bound import negative_elbo
from pdgmm.methods.vae.vae_fitting import fit_vae
from pdgmm.methods.vae.vae_network import VaeNetwork
from pdgmm.methods.vae.vae_training import VaeLearner
from pdgmm.seeds import child_generator

RISING = 0.25
"""The share of the second phase in which the weight of the penalty rises."""


class SparseLearner(VaeLearner):
    """A VAE without penalty for ``settings.pretraining_steps``, then a turn of the code, then with penalty."""

    def __init__(self, network: VaeNetwork, settings: Ddl, data: Samples, seed: int, **options: Any) -> None:
        super().__init__(network, pretraining_steps=settings.pretraining_steps, between=self._turn, **options)
        self._settings, self._data, self._seed = settings, data, seed

    def _turn(self) -> None:
        device = self._model.input_mean.device
        x = self._model.standardised(torch.from_numpy(self._data.array(JACOBIAN_ROWS)).to(device))
        turn_to_sparsest(self._model, x, self._settings.rotations, child_generator(self._seed, "rotations"))

    def _loss(self, batch: Batch) -> Metrics:
        settings, x = self._settings, self._model.standardised(batch["x"])
        metrics = negative_elbo(self._model, x, divergence_weight=settings.divergence_weight)
        since = self._step - settings.pretraining_steps
        if since < 0:
            return metrics
        penalty = log_sum(scaled_jacobian(self._model.decoder, self._model.posterior(x).mean))
        weight = settings.weight * min(1.0, (since + 1) / max(1.0, RISING * settings.steps))
        return metrics | {"loss": metrics["loss"] + weight * penalty, "penalty": penalty}


def fit_ddl(settings: Ddl, data: Samples, run: Run) -> Fitted:
    """Train the network that ``settings`` describe."""
    model = fit_vae(
        settings,
        data,
        run,
        prior={"kind": "normal"},
        learner=partial(SparseLearner, settings=settings, data=data, seed=run.seed),
        pretraining_steps=settings.pretraining_steps,
    )
    return Fitted(model, jacobian_claim(model, data))
