"""The torch side of the method that is told the latents."""

import copy

import numpy as np
import torch
from torch.nn.functional import mse_loss

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.fitting.networks import leaky_mlp
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.oracle.supervised import Supervised
from pdgmm.models.network_model import CodingNetwork, NetworkModel


class RegressionNetwork(CodingNetwork):
    """``f(x)`` and ``g(z)``, each with the same hidden layers."""

    def __init__(self, x_dim: int, latents: int, units: list[int], slope: float) -> None:
        super().__init__()
        self.encoder = leaky_mlp([x_dim, *units, latents], slope)
        self.decoder = leaky_mlp([latents, *units, x_dim], slope)

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        return self.encoder(x)

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        return self.decoder(code)


def fit_supervised(settings: Supervised, data: Samples, run: Run) -> Fitted:
    """Regress the latents on the observations, and the observations on the latents."""
    device = torch.device(resolve_device(run.device))
    z = data.told["z"].astype(np.float32)
    # What is told is not in the batches, but side variables are.
    pairs = copy.copy(data)
    pairs.side = {**data.side, "z": z}
    with torch_stream(run.seed, "weights", device=device):
        model = NetworkModel(
            RegressionNetwork,
            x_dim=data.x_dim,
            latents=z.shape[1],
            units=settings.units,
            slope=settings.slope,
        )
    network = model.network.to(device).train()

    def objective(batch: Batch) -> Metrics:
        error = mse_loss(network.encode(batch["x"]), batch["z"])
        return {"loss": error + mse_loss(network.decode(batch["z"]), batch["x"]), "error": error}

    learner = AdamLearner(
        network, objective, learning_rate=settings.learning_rate, gradient_clip=settings.gradient_clip
    )
    train(
        learner,
        pairs,
        steps=settings.steps,
        batch_size=settings.batch_size,
        run=run,
        schedule=settings.schedule,
    )
    network.cpu()
    return Fitted(model)
