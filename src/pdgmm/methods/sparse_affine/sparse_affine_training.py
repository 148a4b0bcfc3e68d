"""The torch side of sparse affine maps: deep linear nets, with and without the sparsity constraint."""

import copy
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import mse_loss

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import Batch, Metrics, trainable
from pdgmm.fitting.networks import DeepLinear
from pdgmm.fitting.optimisers import Adam, ExtraAdam
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.methods.sparse_affine.layer_gradients import LayerGradients
from pdgmm.methods.sparse_affine.sparse_affine import Lagrangian, Unconstrained
from pdgmm.models.affine_model import AffineModel

DEVIATION_ROWS = 100_000


class AffineAutoencoder(nn.Module):
    """A deep linear encoder with batch normalisation on its output, and a deep linear decoder."""

    def __init__(self, x_dim: int, hidden: list[int], n_latents: int, *, learned_scale: bool) -> None:
        super().__init__()
        sizes = [x_dim, *hidden, n_latents]
        # No biases: batch normalisation would cancel them, and Adam would turn the rounding errors in their
        # gradients into a drift.
        self.encoder = DeepLinear(sizes, bias=False)
        self.normalise = nn.BatchNorm1d(n_latents)
        # The shift stays free: it puts zero where most samples are.
        self.normalise.weight.requires_grad_(learned_scale)
        self.decoder = DeepLinear(sizes[::-1])
        self.register_buffer("input_scale", torch.ones(()))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The codes (samples, n_latents) of ``x`` and the mean squared error of their reconstruction."""
        rows, _ = self.encoder.multiplied_out()
        weight, bias = self.decoder.multiplied_out()
        return self.reconstructed(x, rows, torch.cat([weight, bias[None]]))

    def reconstructed(
        self, x: torch.Tensor, encoder: torch.Tensor, decoder: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The same with the maps of both nets given: (x_dim, n_latents) and (n_latents + 1, x_dim)."""
        x = x * self.input_scale
        code = self.normalise(x @ encoder)
        return code, mse_loss(torch.addmm(decoder[-1], code, decoder[:-1]), x)

    @torch.no_grad()
    def collapsed(self) -> AffineModel:
        """The encoder with its running batch statistics as one affine map, multiplied out in float64."""
        precise = copy.deepcopy(self).cpu().double()
        weight, norm = precise.encoder.multiplied_out()[0].numpy(), precise.normalise
        scale = (norm.weight / (norm.running_var + norm.eps).sqrt()).numpy()
        offset = norm.bias.numpy() - scale * norm.running_mean.numpy()
        return AffineModel(np.zeros(len(weight)), float(self.input_scale) * (weight * scale).T, offset)


class AffineLearner:
    """Descends on the nets and, if there is a constraint, ascends on its multiplier.

    The Lagrangian is ``error + multiplier * (mean |z| - sparsity)`` with ``multiplier >= 0``.
    """

    finished = False

    def __init__(self, model: AffineAutoencoder, settings: Unconstrained) -> None:
        self._model = model
        self._nets = LayerGradients(model.encoder), LayerGradients(model.decoder)
        self._multiplier = nn.Parameter(torch.zeros_like(model.input_scale))
        constrained = isinstance(settings, Lagrangian)
        self._level = settings.sparsity if constrained else None
        self._extragradient = constrained and settings.extragradient
        adam = ExtraAdam if self._extragradient else Adam
        self._optimisers = [
            adam(trainable(model), settings.learning_rate, gradient_clip=settings.gradient_clip)
        ]
        if constrained:
            self._optimisers.append(adam([self._multiplier], settings.dual_learning_rate, maximize=True))

    def step(self, batch: Batch) -> Metrics:
        metrics = self._gradients(batch["x"])
        if self._extragradient:
            for optimiser in self._optimisers:
                optimiser.extrapolation()
            self._multiplier.data.clamp_(min=0)
            self._gradients(batch["x"])
        for optimiser in self._optimisers:
            optimiser.step()
        self._multiplier.data.clamp_(min=0)
        return metrics

    def _gradients(self, x: torch.Tensor) -> Metrics:
        """Set all gradients; return the values at the present point."""
        self._model.normalise.zero_grad()
        code, error = self._model.reconstructed(x, *(net.multiplied_out() for net in self._nets))
        mean_abs = code.abs().mean()
        metrics = {"loss": error.detach(), "mean_abs": mean_abs.detach()}
        if self._level is None:
            error.backward()
        else:
            metrics["multiplier"] = self._multiplier.detach().clone()
            self._multiplier.grad = metrics["mean_abs"] - self._level
            (error + metrics["multiplier"] * mean_abs).backward()
        for net in self._nets:
            net.carry_back()
        return metrics

    def scale_learning_rate(self, factor: float) -> None:
        for optimiser in self._optimisers:
            optimiser.scale_learning_rate(factor)

    def state_dict(self) -> dict[str, Any]:
        return {
            "model": self._model.state_dict(),
            "multiplier": self._multiplier.data,
            "optimisers": [optimiser.state_dict() for optimiser in self._optimisers],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._model.load_state_dict(state["model"])
        self._multiplier.data.copy_(state["multiplier"])
        for optimiser, saved in zip(self._optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)


def fit_sparse_affine(settings: Unconstrained, data: Samples, run: Run) -> Fitted:
    """Train the affine map that ``settings`` describe on ``data``; with the constraint if they are ``Lagrangian``."""
    device = torch.device(resolve_device(run.device))
    hidden = [width * data.n_latents for width in settings.widths]
    with torch_stream(run.seed, "weights", device=device):
        model = AffineAutoencoder(data.x_dim, hidden, data.n_latents, learned_scale=settings.learned_scale)
    if settings.standardise:
        # The root of the mean variance of the coordinates; constant observations are not scaled.
        variances = data.array(DEVIATION_ROWS).var(axis=0, dtype=np.float64)
        model.input_scale.fill_(1 / (float(np.sqrt(variances.mean())) or 1.0))
    model.to(device).train()

    learner = AffineLearner(model, settings)
    last = settings.train(learner, model.normalise, model, data, run)
    if isinstance(settings, Lagrangian):
        # Batches scatter around the level once it is reached, so up to a tenth above it is accepted.
        run.notes["constraint_met"] = last["mean_abs"] <= 1.1 * settings.sparsity
    return Fitted(model.collapsed())
