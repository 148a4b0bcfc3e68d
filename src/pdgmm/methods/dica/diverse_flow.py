"""The last step of DICA: a flow of the code under which the decoder's influences are more diverse still."""

from typing import TYPE_CHECKING

import numpy as np
import torch

from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.training_loop import train
from pdgmm.methods.dica.influence_network import InfluenceNetwork
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.seeds import child_seed

if TYPE_CHECKING:
    from pdgmm.methods.dica.dica import Dica

LEARNING_RATE = 1e-3
BATCH = 128


def flow_jacobian(flow: CouplingFlow, z: torch.Tensor) -> torch.Tensor:
    """``du/dz`` (samples, d, d) of ``u = flow(z)`` at ``z`` (samples, d)."""
    return torch.func.vmap(torch.func.jacfwd(lambda one: flow(one[None])[0][0]))(z)


def diverse_loss(jacobian: torch.Tensor, change: torch.Tensor, criterion: str) -> torch.Tensor:
    """The criterion (samples,) of :mod:`pdgmm.methods.dica.sparse_columns` after a change of the latents.

    ``jacobian`` (samples, m, d) is ``dx/dz`` and ``change`` (samples, d, d) ``du/dz``, so ``dx/du = jacobian
    change^-1``, and ``-log |det H|`` becomes ``log |det change|``.
    """
    influences = torch.linalg.solve(change, jacobian, left=False)
    if criterion == "row_l1":
        sizes = jacobian.shape[2] * influences.abs().sum(dim=2).amax(dim=1).log()
    elif criterion == "l1":
        sizes = influences.abs().sum(dim=1).log().sum(dim=1)
    else:
        sizes = influences.square().sum(dim=1).log().sum(dim=1) / 2
    return sizes + torch.linalg.slogdet(change).logabsdet


def train_flow(settings: "Dica", network: InfluenceNetwork, x: np.ndarray, criterion: str, run: Run) -> None:
    """Train the flow of ``network`` on the Jacobians at ``x`` (samples, x_dim). A killed fit repeats this phase."""
    flow = network.flow.requires_grad_(True)
    with torch.no_grad():
        z = network.latents(network.scaled(torch.from_numpy(x)))
        jacobians = network.with_jacobian(z)[1]
    samples = Samples(z.numpy(), z.shape[1], side={"place": np.arange(len(z))})

    def objective(batch: Batch) -> Metrics:
        change = flow_jacobian(flow, batch["x"])
        return {"loss": diverse_loss(jacobians[batch["place"]], change, criterion).mean()}

    own = Run(seed=child_seed(run.seed, "diverse flow"))
    train(
        AdamLearner(flow, objective, learning_rate=LEARNING_RATE, gradient_clip=1.0),
        samples,
        steps=settings.flow_steps,
        batch_size=BATCH,
        run=own,
        schedule="cosine",
    )
    run.notes["flow_criteria"] = [own.history[0]["loss"], own.history[-1]["loss"]]
