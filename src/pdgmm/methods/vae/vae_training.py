"""Training of variational autoencoders: the standardisation of the inputs, and the learner with its two phases."""

from collections.abc import Callable
from typing import Any

import torch

from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.fitting.samples import Samples
from pdgmm.methods.vae.bound import autoencoder_loss, negative_elbo
from pdgmm.methods.vae.vae_network import VaeNetwork

STANDARDISATION_ROWS = 100_000

Objective = Callable[[VaeNetwork, torch.Tensor, torch.Tensor | None], Metrics]


@torch.no_grad()
def standardise_inputs(network: VaeNetwork, data: Samples) -> None:
    """Let the network give every coordinate of ``data`` mean 0 and variance 1."""
    x = torch.from_numpy(data.array(STANDARDISATION_ROWS)).double()
    deviation = x.std(dim=0, correction=0)
    network.input_mean.copy_(x.mean(dim=0))
    # A constant coordinate is not scaled.
    network.input_deviation.copy_(torch.where(deviation > 0, deviation, 1.0))


class VaeLearner(AdamLearner):
    """Trains the networks as an autoencoder for ``pretraining_steps``, then the whole model by ``objective``.

    Between the two phases, ``between()`` is called once and Adam starts afresh. It is called in the first step of the
    second phase and must depend on the network only, so that a resumed training gives the same result. Without
    pretraining it is never called. If ``every`` is given, ``update()`` is called once every ``every`` steps of the
    second phase; it must depend on the network only, too.
    """

    def __init__(
        self,
        network: VaeNetwork,
        *,
        learning_rate: float,
        gradient_clip: float | None = None,
        objective: Objective = negative_elbo,
        pretraining_steps: int = 0,
        between: Callable[[], None] = lambda: None,
        every: int = 0,
        update: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(network, self._loss, learning_rate=learning_rate, gradient_clip=gradient_clip)
        self._bound = objective
        self._pretraining_steps = pretraining_steps
        self._between = between
        self._every, self._update = every, update
        self._step = 0

    def step(self, batch: Batch) -> Metrics:
        if self._step == self._pretraining_steps > 0:
            self._between()
            self._optimizer.reset()
        elif self._every and self._step > self._pretraining_steps and self._step % self._every == 0:
            self._update()
        metrics = super().step(batch)
        self._step += 1
        return metrics

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"step": self._step}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self._step = int(state["step"])

    def _loss(self, batch: Batch) -> Metrics:
        x, u = self._model.standardised(batch["x"]), batch.get("u")
        objective = autoencoder_loss if self._step < self._pretraining_steps else self._bound
        return objective(self._model, x, u)
