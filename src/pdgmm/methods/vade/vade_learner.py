"""The steps of a VaDE's training: first the autoencoder, then the evidence lower bound."""

from collections.abc import Callable
from typing import Any

from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.methods.vade.elbo import autoencoder_loss, negative_elbo
from pdgmm.methods.vade.vade_model import VadeModel


class VadeLearner(AdamLearner):
    """Trains the networks as an autoencoder for ``pretraining_steps``, then the whole model by its bound.

    Between the two, ``start_mixture()`` is called once and Adam starts afresh. It is called in the first step
    of the second phase and must depend on nothing but the model, so that a resumed training finds the same
    mixture. Without pretraining it is never called.
    """

    def __init__(
        self,
        model: VadeModel,
        *,
        pretraining_steps: int,
        noise_variance: float,
        learning_rate: float,
        gradient_clip: float | None,
        start_mixture: Callable[[], None],
    ) -> None:
        super().__init__(model, self._loss, learning_rate=learning_rate, gradient_clip=gradient_clip)
        self._pretraining_steps = pretraining_steps
        self._noise_variance = noise_variance
        self._start_mixture = start_mixture
        self._step = 0

    def step(self, batch: Batch) -> Metrics:
        if self._step == self._pretraining_steps > 0:
            self._start_mixture()
            self._optimizer.reset()
        metrics = super().step(batch)
        self._step += 1
        return metrics

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"step": self._step}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self._step = int(state["step"])

    def _loss(self, batch: Batch) -> Metrics:
        x = self._model.standardised(batch["x"])
        objective = autoencoder_loss if self._step < self._pretraining_steps else negative_elbo
        return objective(self._model, x, self._noise_variance)
