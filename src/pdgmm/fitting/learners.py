"""Learners, which the training loop drives: they take a step on a batch, and can be stopped and resumed."""

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import nn

from pdgmm.fitting.optimisers import Adam

Metrics = dict[str, torch.Tensor]
"""Scalars by name, still on the device. Reading one waits for the device, so the loop seldom does it."""

Batch = dict[str, torch.Tensor]
"""Tensors by name, with one row per sample: ``x`` (samples, x_dim), and the side variables that a method sees."""


class Learner(Protocol):
    """A model together with its optimiser.

    ``state_dict`` holds everything that a step changes, so a learner that loads it continues exactly like the one
    that saved it. It consists of tensors, numbers, strings, and lists and dicts of them.
    """

    finished: bool
    """Whether further steps would not help; the training then ends before its last step."""

    def step(self, batch: Batch) -> Metrics:
        """Update the model with ``batch``; returns the metrics before the update, among them ``loss``."""

    def scale_learning_rate(self, factor: float) -> None:
        """Use ``factor`` times the base learning rate from the next step on."""

    def state_dict(self) -> dict[str, Any]:
        """Everything that a step changes."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from ``state``."""


class AdamLearner:
    """Minimises ``objective(batch)["loss"]`` over the parameters of ``model`` with Adam.

    ``gradient_clip`` bounds the Euclidean norm of the whole gradient.
    """

    finished = False

    def __init__(
        self,
        model: nn.Module,
        objective: Callable[[Batch], Metrics],
        *,
        learning_rate: float,
        gradient_clip: float | None = None,
    ) -> None:
        self._model = model
        self._objective = objective
        self._optimizer = Adam(trainable(model), learning_rate, gradient_clip=gradient_clip)

    def step(self, batch: Batch) -> Metrics:
        metrics = self._objective(batch)
        self._optimizer.zero_grad()
        metrics["loss"].backward()
        self._optimizer.step()
        return {name: value.detach() for name, value in metrics.items()}

    def scale_learning_rate(self, factor: float) -> None:
        self._optimizer.scale_learning_rate(factor)

    def state_dict(self) -> dict[str, Any]:
        return {"model": self._model.state_dict(), "optimizer": self._optimizer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])


def trainable(model: nn.Module) -> list[nn.Parameter]:
    """The parameters of ``model`` that are not frozen."""
    return [parameter for parameter in model.parameters() if parameter.requires_grad]
