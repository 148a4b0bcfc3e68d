"""The torch side of the flow under a Gaussian mixture."""

import numpy as np
import torch

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.fitting.whitening import Whitening
from pdgmm.methods.flow.flow_gmm import FlowGmm
from pdgmm.methods.flow.flow_learner import FlowLearner
from pdgmm.methods.flow.flow_preparation import Effort, effort_for, split_and_whitened
from pdgmm.methods.flow.flow_schedule import FlowSchedule
from pdgmm.methods.flow.full_mixture import FullMixture
from pdgmm.methods.flow.selection import noisy
from pdgmm.methods.flow.unseen_clusters import UnseenClusters
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.flow_model import FlowModel
from pdgmm.seeds import child_generator, child_seed

EVALUATE_EVERY = 50
"""Steps between two evaluations on the held-out clusters."""

PATIENCE = 6
"""The training ends after this many evaluations without improvement."""

SAMPLES_PER_PARAMETER = 10
"""A component has at least this many samples per latent."""


def fit_flow_gmm(settings: FlowGmm, data: Samples, run: Run) -> Fitted:
    """Train the flow that ``settings`` describe on ``data``."""
    device = torch.device(resolve_device(run.device))
    n = data.n_latents
    whitening, training, held_out = split_and_whitened(settings, data, run)
    effort = effort_for(settings, settings.steps, n, len(training))
    few = noisy(training[: settings.mixture_samples], effort.noise, run.seed).to(device)
    held = noisy(held_out, effort.noise, run.seed).to(device)
    most = max(1, len(few) // (SAMPLES_PER_PARAMETER * n))
    components = min(settings.components or 5 * n, most)
    prior = FullMixture.fitted(few, n, components, child_seed(run.seed, "mixture"))
    with torch_stream(run.seed, "flow", device=torch.device("cpu")):
        flow = CouplingFlow(few.shape[1], blocks=settings.blocks, width=settings.width_for(n))
    flow.start_as(torch.eye(n), torch.zeros(n))
    learner = _trained(settings, effort, flow.to(device), prior.to(device), training, n, run)
    run.notes |= {"components": components, "clusters_held_out": 0, "fell_back": True}
    if learner is not None:
        best_step = learner.restore_best()
        run.notes |= {
            "clusters_held_out": components - len(learner.prior.weights),
            "best_step": best_step,
            "fell_back": best_step == 0,
            "unseen_cluster_log_likelihoods": learner.scores,
        }
    with torch.no_grad():
        code = flow(few)[0]
        final = FullMixture.fitted(code, n, components, child_seed(run.seed, "mixture")).to(device)
        y, log_det = flow(held)
        run.notes["held_out_log_likelihood"] = float((final.log_density(y) + log_det).mean())
        flow.append_affine(*_towards_observations(code[:, :n], few[:, :n], whitening))
    return Fitted(FlowModel(flow.cpu(), n, whitening.mean, whitening.matrix, whitening.inverse))


def _trained(
    settings: FlowGmm,
    effort: Effort,
    flow: CouplingFlow,
    prior: FullMixture,
    training: np.ndarray,
    n: int,
    run: Run,
) -> FlowLearner | None:
    """Train ``flow`` on the clusters of ``prior``, some held out; None if there are too few clusters."""
    device = prior.weights.device
    count = len(prior.weights)
    order = child_generator(run.seed, "held out clusters").permutation(count)
    unseen, seen = np.split(order, [int(settings.held_out_clusters * count)])
    cluster = prior.likeliest(torch.from_numpy(training)).numpy()
    is_unseen = np.isin(cluster, unseen)
    judges = UnseenClusters(
        torch.from_numpy(training[is_unseen]).to(device), torch.from_numpy(cluster[is_unseen]).to(device), n
    )
    if not len(judges):
        return None
    seen_samples = training[~is_unseen]
    few = noisy(seen_samples[: settings.mixture_samples], effort.noise, run.seed).to(device)

    @torch.no_grad()
    def refresh(flow: CouplingFlow, prior: FullMixture, step: int) -> bool:
        prior.refresh(flow(few)[0])
        return False

    learner = FlowLearner(
        flow,
        prior.of_components(torch.from_numpy(np.sort(seen)).to(device)),
        schedule=FlowSchedule(effort.steps, turns=effort.steps // settings.refresh_every, turning=1.0),
        learning_rate=effort.learning_rate,
        gradient_clip=settings.gradient_clip,
        input_noise=effort.noise,
        score=judges,
        turn=refresh,
        evaluations=max(1, effort.steps // EVALUATE_EVERY),
        patience=PATIENCE,
    )
    train(learner, Samples(seen_samples, n), steps=effort.steps, batch_size=settings.batch_for(n), run=run)
    return learner


def _towards_observations(
    code: torch.Tensor, white: torch.Tensor, whitening: Whitening
) -> tuple[torch.Tensor, torch.Tensor]:
    """The affine map that brings ``code`` (samples, n) closest to the observations, which were whitened to ``white``.

    The model does not determine this map. With n observed coordinates the code is brought close to them, with more
    coordinates to the n principal ones, in their own scales.
    """
    n = code.shape[1]
    axes = torch.from_numpy(whitening.inverse[:, :n]).double().to(code.device)
    code, white = code.double(), white.double()
    scaled = white @ (axes.T if len(axes) == n else torch.diag(axes.norm(dim=0)))
    mean = code.mean(0)
    linear = torch.linalg.lstsq(code - mean, scaled - scaled.mean(0)).solution.T
    return linear.float(), (-linear @ mean).float()
