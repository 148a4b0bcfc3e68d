"""The torch side of our version of diverse dictionary learning."""

import numpy as np
import torch

from pdgmm.errors import FitFailed
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.fitting.whitening import Whitening, principal_whitening
from pdgmm.methods.ddl.ddl import Ddl
from pdgmm.methods.ddl.penalties import log_sum
from pdgmm.methods.ddl.sparse_inverse import SideBySide, SparseInverse
from pdgmm.methods.ddl.sparse_rotation import sparsest_rotation
from pdgmm.models.network_model import NetworkModel
from pdgmm.seeds import child_generator

FREE = 0.25
"""The share of the steps without penalty, and of those after them in which its weight rises."""

MOST_HELD_OUT = 2000
"""Samples that decide between the networks; at most a fifth of all."""

TURNED_BY = 2000
"""Samples whose Jacobians give the rotation."""

CLAIMED = 4000
"""Samples over which the claimed Jacobian is averaged."""


class SparseLearner(AdamLearner):
    """The likelihood alone for a quarter of the steps, then a turn of every code, then with penalty."""

    def __init__(
        self, networks: SideBySide, settings: Ddl, y: torch.Tensor, back: torch.Tensor, seed: int
    ) -> None:
        super().__init__(
            networks,
            self._loss,
            learning_rate=settings.learning_rate,
            gradient_clip=settings.gradient_clip,
        )
        self._settings, self._y, self._back, self._seed = settings, y, back, seed
        self._free = int(FREE * settings.steps)
        self._step = 0

    def step(self, batch: Batch) -> Metrics:
        if self._step == self._free > 0 and self._settings.weight:
            turn_to_sparsest(
                self._model,
                self._y,
                self._back,
                self._settings.rotations,
                child_generator(self._seed, "rotations"),
            )
            self._optimizer.reset()
        metrics = super().step(batch)
        self._step += 1
        return metrics

    def state_dict(self) -> dict[str, object]:
        return super().state_dict() | {"step": self._step}

    def load_state_dict(self, state: dict[str, object]) -> None:
        super().load_state_dict(state)
        self._step = int(state["step"])

    def _loss(self, batch: Batch) -> Metrics:
        z, derivatives = self._model(batch["x"])
        loss = likelihood = minus_log_likelihood(z, derivatives)
        metrics = {}
        weight = self._settings.weight * min(1.0, (self._step - self._free) / max(1, self._free))
        if weight > 0:
            penalty = sparsity(scaled_jacobian(z, derivatives, self._back))
            loss = loss + weight * penalty
            metrics["penalty"] = penalty.mean()
        return {"loss": loss.sum(), "likelihood": likelihood.mean(), **metrics}


def minus_log_likelihood(z: torch.Tensor, derivatives: torch.Tensor) -> torch.Tensor:
    """``-log N(z) - log |det dz/dy|``, but for a constant, of codes (count, samples, n); the mean over samples."""
    return (z.square().sum(dim=2) / 2 - torch.linalg.slogdet(derivatives).logabsdet).mean(dim=1)


def scaled_jacobian(z: torch.Tensor, derivatives: torch.Tensor, back: torch.Tensor) -> torch.Tensor:
    """``sqrt(E (dx_i / dz_j)^2) sd(z_j)`` (count, x_dim, n), with ``dx/dy = back`` (x_dim, n)."""
    jacobian = back @ torch.linalg.inv(derivatives)
    # The small number keeps the gradient of the root finite at zero.
    return (jacobian.square().mean(dim=1) * z.var(dim=1)[:, None] + 1e-8).sqrt()


def sparsity(scaled: torch.Tensor) -> torch.Tensor:
    """The penalty (count,) of :func:`scaled_jacobian`, as that of n rows."""
    return log_sum(scaled) * scaled.shape[2] / scaled.shape[1]


@torch.no_grad()
def turn_to_sparsest(
    networks: SideBySide, y: torch.Tensor, back: torch.Tensor, starts: int, rng: np.random.Generator
) -> None:
    """Whiten every network's code of ``y`` (samples, n) and turn it so that the Jacobian is sparsest."""
    codes, derivatives = networks(y)
    for number, (z, inverse) in enumerate(zip(codes, derivatives, strict=True)):
        values, vectors = torch.linalg.eigh(torch.cov(z.T))
        root = vectors * values.sqrt()
        jacobian = back @ torch.linalg.inv(inverse) @ root
        moments = torch.einsum("nij,nik->ijk", jacobian, jacobian) / len(y)
        drawn = torch.from_numpy(rng.normal(size=(starts, *root.shape))).to(moments)
        networks.turn(number, torch.linalg.inv(root @ sparsest_rotation(moments, drawn)[0]).T)


def fit_ddl(settings: Ddl, data: Samples, run: Run) -> Fitted:
    """Train the networks that ``settings`` describe, and keep the best."""
    x = data.array(settings.max_samples)
    order = child_generator(run.seed, "held out").permutation(len(x))
    held_out, training = np.split(x[order], [min(MOST_HELD_OUT, len(x) // 5)])
    whitening = principal_whitening(training, data.n_latents)
    device = torch.device(resolve_device(run.device))
    y = whitening.apply(training)
    deviation = training.std(axis=0, dtype=np.float64)
    # A constant column depends on nothing, whatever it is divided by.
    scaled = whitening.inverse / np.where(deviation > 0, deviation, 1.0)[:, None]
    back = torch.from_numpy(scaled.astype(np.float32)).to(device)
    with torch_stream(run.seed, "weights", device=device):
        networks = SideBySide(settings.restarts, data.n_latents, settings.units).to(device)
        model = NetworkModel(SparseInverse, x_dim=data.x_dim, latents=data.n_latents, units=settings.units)
    learner = SparseLearner(networks, settings, torch.from_numpy(y[:TURNED_BY]).to(device), back, run.seed)
    train(
        learner,
        Samples(y, data.n_latents),
        steps=settings.steps,
        batch_size=settings.batch_size,
        run=run,
        schedule="cosine",
    )
    best = _best(networks, torch.from_numpy(whitening.apply(held_out)).to(device), back, settings.weight, run)
    _fill(model.network, networks.cpu(), best, whitening, y)
    with torch.no_grad():
        claim = scaled_jacobian(*model.network.inverse_map(torch.from_numpy(y[:CLAIMED])), back.cpu())[0]
    return Fitted(model, {"jacobian": claim.numpy()})


@torch.no_grad()
def _best(networks: SideBySide, y: torch.Tensor, back: torch.Tensor, weight: float, run: Run) -> int:
    """The network with the smallest objective at held-out ``y`` among those that do not fold."""
    z, derivatives = networks(y)
    values = minus_log_likelihood(z, derivatives)
    if weight:
        values = values + weight * sparsity(scaled_jacobian(z, derivatives, back))
    signs = torch.linalg.slogdet(derivatives).sign
    values[(signs != signs[:, :1]).any(dim=1)] = torch.inf
    run.notes["objectives"] = [round(value, 4) if np.isfinite(value) else None for value in values.tolist()]
    if not torch.isfinite(values).any():
        raise FitFailed("failed", "every network folds: its determinant changes sign. Try more restarts")
    return int(values.argmin())


@torch.no_grad()
def _fill(
    network: SparseInverse, networks: SideBySide, number: int, whitening: Whitening, y: np.ndarray
) -> None:
    """Copy one of the networks into ``network``, with the map from observations."""
    arrays = {
        "mean": whitening.mean,
        "matrix": whitening.matrix,
        "back": whitening.inverse,
        "references": np.resize(y, network.references.shape),
    }
    for name, value in arrays.items():
        getattr(network, name).copy_(torch.from_numpy(value))
    for own, all_of_them in zip(network.inverse_map.parameters(), networks.parameters(), strict=True):
        own.copy_(all_of_them[number : number + 1])
