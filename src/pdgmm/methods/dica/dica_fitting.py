"""The two stages of DICA: the autoencoder or principal components, and the map of the code."""

import numpy as np
import torch
from torch.nn.functional import mse_loss

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.fitting.whitening import Whitening, principal_whitening
from pdgmm.methods.dica.dica import Dica
from pdgmm.methods.dica.diverse_flow import train_flow
from pdgmm.methods.dica.influence_network import InfluenceNetwork
from pdgmm.methods.dica.sparse_columns import Criterion, sparse_columns
from pdgmm.methods.dica.turned_components import turned_components
from pdgmm.models.affine_model import AffineModel
from pdgmm.models.network_model import NetworkModel
from pdgmm.seeds import child_generator
from pdgmm.theory.diverse_influence import MOST_LATENTS, diversity

MOST_HELD_OUT = 2000
"""Samples that decide between autoencoder and principal components; at most a fifth of all."""

MOST_ENTRIES = 2 * 10**7
"""Entries of the Jacobians for all starts together: fewer samples are taken if this would be exceeded."""

TESTED_POINTS = 5
"""Samples at which the rows found with ``row_l1`` are tested."""

ENOUGH_REACH = 0.9
"""How far the hull of the rows must reach at all of them. It is 1 where the condition holds; rows found from data
that satisfy it reached 0.95 to 0.99, and those from Gaussian rows, which come near it, at most 0.85."""

FLOW = {"blocks": 4, "width": 32}
FLOW_SAMPLES = 2000


def fit_dica(settings: Dica, data: Samples, run: Run) -> Fitted:
    """Fit the model that ``settings`` describe to ``data``."""
    x = data.array(settings.max_samples)
    order = child_generator(run.seed, "held out").permutation(len(x))
    held_out, training = np.split(x[order], [min(MOST_HELD_OUT, len(x) // 5)])
    whitening = principal_whitening(training, data.n_latents)
    model = trained_autoencoder(settings, whitening, training, run)
    errors = [_error(decoder, held_out) for decoder in (AffineModel(whitening.mean, whitening.matrix), model)]
    run.notes |= {"held_out_errors": errors, "fell_back": errors[0] <= errors[1]}
    if run.notes["fell_back"]:
        found = _best_map(settings, whitening.inverse[None], run)
        return Fitted(turned_components(whitening, found))
    network = model.network
    with torch.no_grad():
        z = network.latents(network.scaled(torch.from_numpy(training[:FLOW_SAMPLES])))
        count = max(1, min(settings.jacobians, MOST_ENTRIES // (settings.starts * x.shape[1] * z.shape[1])))
        network.turn(torch.from_numpy(_best_map(settings, network.with_jacobian(z[:count])[1].numpy(), run)))
        z = network.latents(network.scaled(torch.from_numpy(training[:FLOW_SAMPLES])))
        network.turn(torch.diag(z.std(dim=0)))
    if settings.flow_steps:
        train_flow(settings, network, training[:FLOW_SAMPLES], run.notes["criterion"], run)
    return Fitted(model)


def trained_autoencoder(settings: Dica, whitening: Whitening, x: np.ndarray, run: Run) -> NetworkModel:
    """An autoencoder with the principal components as its linear part, trained to reconstruct ``x``."""
    device = torch.device(resolve_device(run.device))
    latents = len(whitening.matrix)
    flow = FLOW if settings.flow_steps else None
    with torch_stream(run.seed, "weights", device=device):
        model = NetworkModel(
            InfluenceNetwork, x_dim=x.shape[1], latents=latents, units=settings.units, flow=flow
        )
    network = model.network
    network.scale_to(x)
    network.add_principal_components(whitening)
    if network.flow is not None:
        network.flow.start_as(torch.eye(latents), torch.zeros(latents))
        network.flow.requires_grad_(False)
    network.to(device).train()

    def objective(batch: Batch) -> Metrics:
        y = network.scaled(batch["x"])
        z = network.latents(y)
        return {"loss": mse_loss(z @ network.out.T + network.decoder(z), y)}

    learner = AdamLearner(network, objective, learning_rate=settings.learning_rate)
    train(
        learner,
        Samples(x, latents),
        steps=settings.steps,
        batch_size=settings.batch_size,
        run=run,
        schedule="cosine",
    )
    network.cpu()
    return model


def _best_map(settings: Dica, jacobians: np.ndarray, run: Run) -> np.ndarray:
    """The best linear map for ``jacobians`` (samples, m, d)."""
    criterion = settings.criterion
    if criterion == "auto":
        criterion = "row_l1" if _satisfied(settings, jacobians, run) else "l1"
    maps, values = _maps(settings, jacobians, criterion, run)
    run.notes |= {"criterion": criterion, "criteria": values[:5].tolist()}
    return maps[0]


def _satisfied(settings: Dica, jacobians: np.ndarray, run: Run) -> bool:
    """Whether the rows found with ``row_l1`` nearly satisfy the condition under which it is exact."""
    if not 2 <= jacobians.shape[2] <= MOST_LATENTS:
        return False
    best = _maps(settings, jacobians, "row_l1", run)[0][0]
    run.notes["reach"] = min(diversity(one @ best).inner for one in jacobians[:TESTED_POINTS])
    return run.notes["reach"] >= ENOUGH_REACH


def _maps(
    settings: Dica, jacobians: np.ndarray, criterion: Criterion, run: Run
) -> tuple[np.ndarray, np.ndarray]:
    return sparse_columns(jacobians, criterion, starts=settings.starts, sweeps=settings.sweeps, seed=run.seed)


def _error(model: AffineModel | NetworkModel, x: np.ndarray) -> float:
    return float(((model.decode(model.encode(x)).astype(np.float64) - x) ** 2).mean())
