"""The torch side of sparse affine maps: deep linear nets, with and without the sparsity constraint."""

import copy
from typing import Any

import cooper
import numpy as np
import torch
from torch import nn
from torch.nn.functional import mse_loss

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import AdamLearner, Batch, Metrics, trainable
from pdgmm.fitting.networks import DeepLinear
from pdgmm.fitting.optimisers import Adam, ExtraAdam
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
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
        x = x * self.input_scale
        code = self.normalise(self.encoder(x))
        return code, mse_loss(self.decoder(code), x)

    @torch.no_grad()
    def collapsed(self) -> AffineModel:
        """The encoder with its running batch statistics as one affine map, multiplied out in float64."""
        precise = copy.deepcopy(self).cpu().double()
        weight, norm = precise.encoder.multiplied_out()[0].numpy(), precise.normalise
        scale = (norm.weight / (norm.running_var + norm.eps).sqrt()).numpy()
        offset = norm.bias.numpy() - scale * norm.running_mean.numpy()
        return AffineModel(np.zeros(len(weight)), float(self.input_scale) * (weight * scale).T, offset)


class SparseReconstruction(cooper.ConstrainedMinimizationProblem):
    """``min mean (x_hat - x)^2`` subject to ``mean |z| - sparsity <= 0``."""

    def __init__(self, model: AffineAutoencoder, sparsity: float, device: torch.device) -> None:
        super().__init__()
        self._model = model
        self._level = sparsity
        self.sparsity = cooper.Constraint(
            constraint_type=cooper.ConstraintType.INEQUALITY,
            multiplier=cooper.multipliers.DenseMultiplier(num_constraints=1, device=device),
        )

    def compute_cmp_state(self, batch: Batch) -> cooper.CMPState:
        code, error = self._model(batch["x"])
        mean_abs = code.abs().mean()
        return cooper.CMPState(
            loss=error,
            observed_constraints={self.sparsity: cooper.ConstraintState(violation=mean_abs - self._level)},
            misc={"mean_abs": mean_abs.detach()},
        )


class LagrangianLearner:
    """Descends on the nets and ascends on the multiplier of :class:`SparseReconstruction`."""

    finished = False

    def __init__(self, model: AffineAutoencoder, settings: Lagrangian, device: torch.device) -> None:
        self._model = model
        self._problem = SparseReconstruction(model, settings.sparsity, device)
        if settings.extragradient:
            adam, scheme = ExtraAdam, cooper.optim.ExtrapolationConstrainedOptimizer
        else:
            adam, scheme = Adam, cooper.optim.SimultaneousOptimizer
        clip, dual = settings.gradient_clip, self._problem.dual_parameters()
        self._primal = adam(trainable(model), settings.learning_rate, gradient_clip=clip)
        self._dual = adam(dual, settings.dual_learning_rate, maximize=True)
        self._optimizer = scheme(self._problem, self._primal, self._dual)

    def step(self, batch: Batch) -> Metrics:
        rolled = self._optimizer.roll(compute_cmp_state_kwargs={"batch": batch})
        (multiplier,) = rolled.dual_lagrangian_store.observed_multiplier_values()
        return {
            "loss": rolled.loss.detach(),
            "mean_abs": rolled.cmp_state.misc["mean_abs"],
            "multiplier": multiplier.detach(),
        }

    def scale_learning_rate(self, factor: float) -> None:
        self._primal.scale_learning_rate(factor)
        self._dual.scale_learning_rate(factor)

    def state_dict(self) -> dict[str, Any]:
        return {
            "model": self._model.state_dict(),
            "multiplier": self._problem.state_dict(),
            "optimizer": self._optimizer.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._model.load_state_dict(state["model"])
        self._problem.load_state_dict(state["multiplier"])
        self._optimizer.load_state_dict(state["optimizer"])


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

    def objective(batch: Batch) -> Metrics:
        code, error = model(batch["x"])
        return {"loss": error, "mean_abs": code.detach().abs().mean()}

    if isinstance(settings, Lagrangian):
        learner = LagrangianLearner(model, settings, device)
    else:
        rate, clip = settings.learning_rate, settings.gradient_clip
        learner = AdamLearner(model, objective, learning_rate=rate, gradient_clip=clip)
    last = settings.train(learner, model.normalise, model, data, run)
    if isinstance(settings, Lagrangian):
        # Batches scatter around the level once it is reached, so up to a tenth above it is accepted.
        run.notes["constraint_met"] = last["mean_abs"] <= 1.1 * settings.sparsity
    return Fitted(model.collapsed())
