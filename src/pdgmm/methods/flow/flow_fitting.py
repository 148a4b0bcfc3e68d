"""The torch side of the flow: a training from each of at most two affine starts, and the choice between them."""

from dataclasses import replace

import numpy as np
import torch

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.whitening import Whitening
from pdgmm.methods.flow.cluster_start import start_from_clusters
from pdgmm.methods.flow.flow import Flow
from pdgmm.methods.flow.flow_preparation import effort_for, split_and_whitened
from pdgmm.methods.flow.flow_training import Material, affine_generator, latents_in_blocks, trained_from
from pdgmm.methods.flow.selection import noisy
from pdgmm.methods.spike_slab.affine_search import AffineSolution, same_latents, solve
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.models.affine_model import IdentityModel
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.flow_model import FlowModel
from pdgmm.seeds import child_seed

PLAN = SpikeSlab(directions_per_latent=20, most_directions=200)
"""The affine search before a flow is more thorough than usual, since a wrong start spoils the whole training."""

SEARCH_SAMPLES = 20_000
"""Samples used to search affine solutions and to fit priors."""

FEW_PER_LATENT = 50
"""With fewer samples per latent, a flow is not trained: it gains little, and makes some fits worse."""

LARGEST_BLOCK = 4
"""If more latents than these always rest together, a flow is not trained: it could bend that block as it likes, as
long as the block stays Gaussian."""

LIKELIER = 0.1
"""How much likelier, for each latent, held-out samples must be under one of two flows to choose it although it bends
more."""

SAME_START = 0.9
"""If every latent of one start correlates by this much with one of the other, training leads both to the same map."""


def fit_flow(settings: Flow, data: Samples, run: Run) -> Fitted:
    """Train the flow that ``settings`` describe on ``data``."""
    device = torch.device(resolve_device(run.device))
    n = data.n_latents
    whitening, training, held_out = split_and_whitened(settings, data, run)
    effort = effort_for(settings, settings.steps_for(n), n, len(training))
    few = noisy(training[:SEARCH_SAMPLES], effort.noise, run.seed)
    plan = PLAN.model_copy(update={"starts": settings.starts})
    white = few[:, :n].T.contiguous()
    found = solve(white, plan, affine_generator(run.seed, 0))
    largest_block = int(latents_in_blocks(found, white).sum(1).max())
    worth_it = len(training) >= FEW_PER_LATENT * n and largest_block <= LARGEST_BLOCK
    starts = {"race": found}
    if worth_it and n <= settings.most_clustered_latents:
        starts |= _other_start(found, white, run.seed)
    material = Material(
        settings,
        effort,
        plan,
        Samples(training, n),
        few.to(device),
        noisy(held_out, effort.noise, run.seed).to(device),
    )
    # A checkpoint of one start's training is of no use to the other's.
    runs = {
        name: replace(run, checkpoint_key=f"{run.checkpoint_key} {name}", history=[], notes={})
        for name in starts
    }
    trained = {
        name: trained_from(
            start,
            material,
            runs[name],
            # A turn is a race on the code, and can only lead back to where the race led.
            turns=settings.turns if name == "race" else 0,
            steps=effort.steps if worth_it else 0,
        )
        for name, start in starts.items()
    }
    likeliest = max(one.log_likelihood for one in trained.values())
    close = [name for name, one in trained.items() if one.log_likelihood >= likeliest - LIKELIER * n]
    chosen = max(close, key=lambda name: trained[name].straightness)
    best = trained[chosen]
    run.history += runs[chosen].history
    run.notes |= runs[chosen].notes | found.notes() | best.notes
    run.notes |= {
        "chosen_start": chosen,
        "held_out_log_likelihood": best.log_likelihood,
        "held_out_log_likelihood_by_start": {name: one.log_likelihood for name, one in trained.items()},
        "straightness_by_start": {name: one.straightness for name, one in trained.items()},
        "largest_block": largest_block,
    }
    flow = best.flow.cpu()
    if not worth_it:
        if n == data.x_dim:
            # The same bits: a search that no two starts agree on may end elsewhere after a change of the last one.
            return Fitted(IdentityModel())
        _give_principal_components(flow, whitening, n)
    return Fitted(FlowModel(flow, n, whitening.mean, whitening.matrix, whitening.inverse), best.claims)


def _other_start(found: AffineSolution, white: torch.Tensor, seed: int) -> dict[str, AffineSolution]:
    """The start from clusters of ``white`` (n, samples), if it exists and differs from ``found``."""
    clusters = start_from_clusters(white, child_seed(seed, "clusters"), affine_generator(seed, -1))
    differs = clusters is not None and not same_latents(found.unmixing, clusters.unmixing, SAME_START)
    return {"clusters": clusters} if clusters is not None and differs else {}


def _give_principal_components(flow: CouplingFlow, whitening: Whitening, n: int) -> None:
    """Make the untrained flow undo the scaling, so that the next method sees what it would see without a flow."""
    deviations = np.linalg.norm(whitening.inverse[:, :n], axis=0)
    flow.start_as(torch.from_numpy(np.diag(deviations)).float(), torch.zeros(n))
