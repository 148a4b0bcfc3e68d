"""The torch side of image features: the steps of a training, when to slow down, and when to stop."""

import math
from typing import Any

import torch
from torch.nn.functional import mse_loss
from torch.optim.lr_scheduler import ReduceLROnPlateau

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import Batch, Metrics
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.image_features.image_features import ImageFeatures
from pdgmm.methods.image_features.image_networks import WHITE, ImageNetwork
from pdgmm.models.network_model import NetworkModel

LOOK_BATCH = 250
"""Images that are evaluated at a time."""

LEAST_GAIN = 0.01
"""Share by which the error must fall to count as lower."""

FALL = 0.3
"""The factor on the learning rate when the error has stopped falling."""


def fit_features(settings: ImageFeatures, data: Samples, run: Run) -> Fitted:
    """Train the network that ``settings`` describe on images; notes its error, and that of one fixed image."""
    device = torch.device(resolve_device(run.device))
    kind, arguments = settings.network(data.n_latents)
    with torch_stream(run.seed, "weights", device=device):
        model = NetworkModel(kind, image_shape=list(data.image_shape), **arguments)
    network = model.network.to(device)
    count = min(settings.held_out_images, max(1, data.n_samples // 5))
    held_out = torch.from_numpy(data.array(count)).to(device)
    learner = ReconstructionLearner(network, held_out, settings)
    train(learner, data.after(count), steps=settings.steps, batch_size=settings.batch_size, run=run)
    learner.restore_best()
    run.notes |= {
        "held_out_errors": learner.errors,
        "held_out_error": min(error for _, error in learner.errors),
        "mean_image_error": float(((held_out - held_out.mean(0)) / WHITE).square().mean()),
    }
    network.cpu()
    return Fitted(model)


class ReconstructionLearner:
    """Minimises the mean squared error per pixel over the weights of ``network`` with Adam.

    Every ``evaluate_every`` steps it measures the error on ``held_out`` rows (images, x_dim). After ``patience``
    measurements without a lower error the learning rate falls, at most ``falls`` times; then the training has
    ``finished``. The weights with the lowest error are kept; ``errors`` lists [step, error].
    """

    def __init__(self, network: ImageNetwork, held_out: torch.Tensor, settings: ImageFeatures) -> None:
        self._network = network
        self._held_out = held_out
        self._evaluate_every = settings.evaluate_every
        rate, patience = settings.learning_rate, settings.patience
        self._optimizer = torch.optim.Adam(network.parameters(), lr=rate, fused=True)
        looks = math.inf if patience is None else patience
        self._plateau = ReduceLROnPlateau(self._optimizer, factor=FALL, patience=looks, threshold=LEAST_GAIN)
        # Halfway between the last rate that is used and the first that is not.
        self._least_rate = rate * FALL ** (settings.falls + 0.5)
        self._step = 0
        self.errors: list[list[float]] = []
        self._best: dict[str, torch.Tensor] = {}
        self._look()

    @property
    def finished(self) -> bool:
        """Whether further steps would not help."""
        return self._optimizer.param_groups[0]["lr"] < self._least_rate

    def step(self, batch: Batch) -> Metrics:
        self._step += 1
        self._network.train()
        loss = self._error(batch["x"], "mean")
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        if self._step % self._evaluate_every == 0:
            self._look()
        return {"loss": loss.detach(), "held_out_error": torch.tensor(self.errors[-1][1])}

    def scale_learning_rate(self, factor: float) -> None:
        """Does nothing: the learning rate depends on the held-out error."""

    def restore_best(self) -> None:
        """End the training with the weights that had the lowest held-out error."""
        if self.errors[-1][0] != self._step:
            self._look()
        self._network.load_state_dict(self._best)

    def state_dict(self) -> dict[str, Any]:
        return {
            "network": self._network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "plateau": self._plateau.state_dict(),
            "step": self._step,
            "errors": [list(entry) for entry in self.errors],
            "best": self._best,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._plateau.load_state_dict(state["plateau"])
        self._step = int(state["step"])
        self.errors = [list(entry) for entry in state["errors"]]
        self._best = dict(state["best"])

    def _error(self, rows: torch.Tensor, reduction: str) -> torch.Tensor:
        images = self._network.images(rows)
        return mse_loss(self._network.drawn(self._network.features(images)), images, reduction=reduction)

    @torch.no_grad()
    def _look(self) -> None:
        self._network.train(False)
        squares = 0.0
        for rows in self._held_out.split(LOOK_BATCH):
            squares += float(self._error(rows, "sum"))
        error = squares / self._held_out.numel()
        if not self.errors or error < min(entry[1] for entry in self.errors):
            self._best = {name: value.clone() for name, value in self._network.state_dict().items()}
        self.errors.append([float(self._step), error])
        if self._step:
            self._plateau.step(error)
