"""Training of autoencoders with a penalty on the decoder's Jacobian."""

from collections.abc import Callable

import torch
from torch.nn.functional import softplus

from pdgmm.fitting.decoder_jacobian import log_det_gram
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.dica.dica_as_published import DicaAsPublished, SparseJacobian
from pdgmm.methods.dica.influence_network import InfluenceNetwork
from pdgmm.models.network_model import NetworkModel

SCALE_SAMPLES = 100_000
"""Samples that give the mean and the scale of the observations."""

Penalty = Callable[[InfluenceNetwork, torch.Tensor, torch.Tensor], Metrics]
"""Named penalties, given the network, the code and the Jacobian; their sum is added to the reconstruction error."""


def fit_sparse_jacobian(settings: SparseJacobian, data: Samples, run: Run) -> Fitted:
    """Train with the L1 norm of the Jacobian, in units of the code's deviations."""

    def penalty(network: InfluenceNetwork, z: torch.Tensor, jacobian: torch.Tensor) -> Metrics:
        size = (jacobian.abs() * z.std(dim=0)).sum(dim=(1, 2)).mean()
        return {"norm": settings.norm_weight * size}

    return _fitted(settings, data, run, penalty)


def fit_published(settings: DicaAsPublished, data: Samples, run: Run) -> Fitted:
    """Train with the volume and the bounded norm of the Jacobian."""
    warmup = max(1, int(settings.warmup * settings.steps))
    measured = max(1, warmup // 10)

    def penalty(network: InfluenceNetwork, z: torch.Tensor, jacobian: torch.Tensor) -> Metrics:
        sizes = jacobian_norm(jacobian, settings.norm)
        step = int(network.step)
        if warmup - measured <= step < warmup:
            network.bound += sizes.detach().mean() / measured
        network.step += 1
        weight = settings.volume_weight * min(1.0, (step + 1) / warmup)
        norm = sizes if step < warmup else softplus(sizes - network.bound)
        return {
            "volume": -weight * log_det_gram(jacobian).mean(),
            "norm": settings.norm_weight * norm.mean(),
        }

    return _fitted(settings, data, run, penalty)


def jacobian_norm(jacobian: torch.Tensor, norm: str) -> torch.Tensor:
    """The L1 norm (samples,) of ``jacobian`` (samples, m, d): the sum of all entries, or the largest row's."""
    rows = jacobian.abs().sum(dim=2)
    return rows.sum(dim=1) if norm == "sum" else rows.amax(dim=1)


def _fitted(settings: SparseJacobian, data: Samples, run: Run, penalty: Penalty) -> Fitted:
    device = torch.device(resolve_device(run.device))
    with torch_stream(run.seed, "weights", device=device):
        model = NetworkModel(InfluenceNetwork, x_dim=data.x_dim, latents=data.n_latents, units=settings.units)
    network = model.network
    network.scale_to(data.array(SCALE_SAMPLES))
    network.to(device).train()
    # Part of the state while training, so that a resumed training continues with the same step and bound.
    network.register_buffer("step", torch.zeros((), dtype=torch.int64, device=device))
    network.register_buffer("bound", torch.zeros((), device=device))

    def objective(batch: Batch) -> Metrics:
        y = network.scaled(batch["x"])
        z = network.latents(y)
        values, jacobian = network.with_jacobian(z)
        parts = {"reconstruction": (values - y).square().sum(dim=1).mean(), **penalty(network, z, jacobian)}
        return {"loss": sum(parts.values()), **parts}

    train(
        AdamLearner(
            network,
            objective,
            learning_rate=settings.learning_rate,
            gradient_clip=settings.gradient_clip,
        ),
        data,
        steps=settings.steps,
        batch_size=settings.batch_size,
        run=run,
        schedule=settings.schedule,
    )
    run.notes["bound"] = float(network.bound)
    del network.step, network.bound
    network.cpu()
    return Fitted(model)
