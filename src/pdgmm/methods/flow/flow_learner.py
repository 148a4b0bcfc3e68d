"""One step of a flow's training, in the form that the training loop drives."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from pdgmm.fitting.learners import Batch, Metrics
from pdgmm.fitting.optimisers import Adam, clip_gradient
from pdgmm.methods.flow.flat_parameters import FlatParameters
from pdgmm.methods.flow.flow_schedule import FlowSchedule
from pdgmm.methods.flow.full_mixture import FullMixture
from pdgmm.methods.flow.pattern_mixture import PatternMixture
from pdgmm.methods.spike_slab.joint_slab import JointSlabPrior
from pdgmm.models.coupling_flow import CouplingFlow


class FlowLearner:
    """Maximises ``log p(f(x)) + log |det df/dx|`` over the flow ``f`` and the prior ``p`` with Adam.

    Samples in which a latent is masked lie exactly on a hypersurface, so they have no density, and a flow could
    gain likelihood without limit by stretching the space across it. Noise with standard deviation ``input_noise``
    gives them a density. ``score(flow, prior)`` is the held-out likelihood, measured ``evaluations`` times; the
    state with the best one is kept, and ``scores`` lists [step, score]. ``turn(flow, prior, step)`` may replace the
    affine part in place and returns whether it did; ``turns`` lists [step, 1 or 0]. With ``patience`` the training
    ends after that many evaluations in a row without a better score.
    """

    def __init__(
        self,
        flow: CouplingFlow,
        prior: JointSlabPrior | PatternMixture | FullMixture,
        *,
        schedule: FlowSchedule,
        learning_rate: float,
        gradient_clip: float,
        input_noise: float,
        score: Callable[[CouplingFlow, nn.Module], float],
        turn: Callable[[CouplingFlow, nn.Module, int], bool],
        evaluations: int,
        patience: int | None = None,
    ) -> None:
        self._model = nn.ModuleDict({"flow": flow, "prior": prior})
        self._flat = FlatParameters(self._model)
        self._schedule = schedule
        self._gradient_clip = gradient_clip
        self._input_noise = input_noise
        self._score = score
        self._turn = turn
        self._patience = patience
        self._optimizer = Adam([self._flat.values], learning_rate, betas=(0.9, 0.99))
        self._step = 0
        self._evaluate_every = max(1, schedule.steps // evaluations)
        self.turns: list[list[int]] = []
        self.scores: list[list[float]] = []
        self._best: dict[str, torch.Tensor] = {}
        self._keep_if_best()

    @property
    def flow(self) -> CouplingFlow:
        """The flow in its present state."""
        return self._model["flow"]

    @property
    def prior(self) -> JointSlabPrior | PatternMixture | FullMixture:
        """The prior in its present state."""
        return self._model["prior"]

    def step(self, batch: Batch) -> Metrics:
        flow, prior = self.flow, self.prior
        self._step += 1
        if self._schedule.is_turn(self._step):
            turned = self._turn(flow, prior, self._step)
            self.turns.append([self._step, int(turned)])
            if turned:
                self._optimizer.reset()
        self._optimizer.scale_learning_rate(self._schedule.learning_rate_factor(self._step))
        loss = self._loss(batch)
        self._flat.differentiate(loss)
        clip_gradient([self._flat.values], self._gradient_clip)
        self._optimizer.step()
        if self._step % self._evaluate_every == 0 or self._step == self._schedule.steps:
            self._keep_if_best()
        return {"loss": loss.detach(), "held_out_log_likelihood": torch.tensor(self.scores[-1][1])}

    def _loss(self, batch: Batch) -> torch.Tensor:
        narrowest = self._schedule.narrowest_width(self._step)
        y, log_det = self._code(batch["x"])
        return -(self.prior.log_density(y, narrowest).mean() + log_det)

    def _code(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The code of samples with noise, and the mean log determinant."""
        return self.flow.with_mean_log_det(x + self._input_noise * torch.randn_like(x))

    def scale_learning_rate(self, factor: float) -> None:
        """Does nothing: a flow has its own schedule."""

    @property
    def finished(self) -> bool:
        """Whether the last evaluations brought no improvement."""
        scores = [score for _, score in self.scores]
        return self._patience is not None and len(scores) - 1 - scores.index(max(scores)) >= self._patience

    @property
    def best_score(self) -> float:
        """The best held-out likelihood so far."""
        return max(score for _, score in self.scores)

    def restore_best(self) -> int:
        """End the training in the state with the best held-out likelihood; returns its step (0: the start)."""
        self._flat.release()
        self._model.load_state_dict(self._best)
        return int(max(self.scores, key=lambda entry: entry[1])[0])

    def state_dict(self) -> dict[str, Any]:
        return {
            "model": self._model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "step": self._step,
            "turns": [list(entry) for entry in self.turns],
            "scores": [list(entry) for entry in self.scores],
            "best": self._best,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._step = int(state["step"])
        self.turns = [list(entry) for entry in state["turns"]]
        self.scores = [list(entry) for entry in state["scores"]]
        self._best = dict(state["best"])

    def _keep_if_best(self) -> None:
        score = self._score(self.flow, self.prior)
        if not self.scores or score > self.best_score:
            self._best = {name: value.clone() for name, value in self._model.state_dict().items()}
        self.scores.append([float(self._step), score])
