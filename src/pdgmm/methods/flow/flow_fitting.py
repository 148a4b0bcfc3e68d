"""The torch side of the flow: one of two affine starts, training with turns, then under the mixture of patterns."""

import copy
from typing import NamedTuple

import numpy as np
import torch

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.fitting.whitening import Whitening, principal_whitening
from pdgmm.methods.flow.cluster_start import start_from_clusters
from pdgmm.methods.flow.flow import Flow, FlowSettings
from pdgmm.methods.flow.flow_learner import FlowLearner
from pdgmm.methods.flow.flow_schedule import FlowSchedule
from pdgmm.methods.flow.pattern_mixture import PatternMixture
from pdgmm.methods.flow.selection import EM_STEPS, HeldOutLikelihood, noisy
from pdgmm.methods.spike_slab.affine_search import AffineSolution, solve
from pdgmm.methods.spike_slab.blocks import blocks_of
from pdgmm.methods.spike_slab.joint_slab import WIDEST_SPIKE, JointSlabPrior
from pdgmm.methods.spike_slab.patterns import Supports, find_supports
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, WidthBounds, fit_prior, log_odds
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.flow_model import FlowModel
from pdgmm.seeds import child_generator, child_seed

PLAN = SpikeSlab(directions_per_latent=20, most_directions=200)
"""The affine search before a flow is more thorough than usual, since a wrong start spoils the whole training."""

SEARCH_SAMPLES = 20_000
"""Samples used to search affine solutions and to fit priors."""

PLENTY = 20_000
"""With at least this many samples, nothing is done against overfitting."""

FEW_PER_LATENT = 50
"""With fewer samples per latent, a start that only one search reached is a guess, and a flow would make it worse."""

EVALUATIONS = 10
"""How often the held-out likelihood is measured while training."""

HEAT = 0.5
"""Share of the steps after which one of two starts is chosen; the other one's training ends there. With much less the
spikes are still wide, and the choice is often wrong."""

LEAST_GAIN = 0.005
"""How much better, in log-likelihood per sample, a new affine solution must be than the present one."""


def fit_flow(settings: Flow, data: Samples, run: Run) -> Fitted:
    """Train the flow that ``settings`` describe on ``data``."""
    device = torch.device(resolve_device(run.device))
    n = data.n_latents
    whitening, training, held_out = split_and_whitened(settings, data, run)
    effort = effort_for(settings, settings.steps_for(n), n, len(training))
    few = noisy(training[:SEARCH_SAMPLES], effort.noise, run.seed)

    plan = PLAN.model_copy(update={"starts": settings.starts})
    found = solve(few[:, :n].T.contiguous(), plan, _generator(run, 0))
    starts = {"race": found}
    worth_it = found.agreed or len(training) >= FEW_PER_LATENT * n
    if worth_it and n <= settings.most_clustered_latents:
        generator = _generator(run, -1)
        clusters = start_from_clusters(few[:, :n].T.contiguous(), child_seed(run.seed, "clusters"), generator)
        starts |= {"clusters": clusters} if clusters else {}
    few, held = few.to(device), noisy(held_out, effort.noise, run.seed).to(device)

    def learner_from(name: str) -> FlowLearner:
        flow, prior = _started(settings, starts[name], few, run.seed)
        return FlowLearner(
            flow.to(device),
            prior.to(device),
            schedule=FlowSchedule(
                effort.steps,
                first_width=settings.first_width,
                last_width=settings.last_width,
                # A turn is a race on the code, and can only lead back to where the race led.
                turns=settings.turns if name == "race" else 0,
            ),
            learning_rate=effort.learning_rate,
            gradient_clip=settings.gradient_clip,
            input_noise=effort.noise,
            score=HeldOutLikelihood(few, held, settings.last_width),
            turn=lambda flow, prior, step: _turn(flow, prior, few, plan, _generator(run, step)),
            evaluations=EVALUATIONS,
        )

    learners = {name: learner_from(name) for name in starts}
    samples, batch_size = Samples(training, n), settings.batch_for(n)
    heat = int(HEAT * effort.steps) if len(learners) > 1 else 0
    reached_in_heats = {}
    for name, learner in learners.items() if heat else ():
        own = Run(seed=child_seed(run.seed, "heat"), device=run.device)
        train(learner, samples, steps=heat, batch_size=batch_size, run=own)
        reached_in_heats[name] = _mixture_likelihood(settings, learner, few, held)
    chosen = max(reached_in_heats, key=reached_in_heats.__getitem__) if heat else "race"
    learner = learners[chosen]
    if worth_it:
        train(learner, samples, steps=effort.steps - heat, batch_size=batch_size, run=run)
    best_step = learner.restore_best()
    flow, prior = learner.flow, learner.prior
    if worth_it:
        _centre_code(flow, prior.centre, prior.log_scale.exp())
    else:
        _give_principal_components(flow.cpu(), whitening, n)
    claims, run.notes["mixture"] = {}, None
    if worth_it and settings.mixture:
        claims = _trained_on(settings, effort, flow, few, held, learner.best_score, samples, run)
    reached = [learner.best_score]
    if run.notes["mixture"] and run.notes["mixture"]["trained"]:
        reached += [score for _, score in run.notes["mixture"]["held_out_log_likelihoods"]]
    run.notes |= found.notes() | {
        "held_out_log_likelihood": max(reached),
        "chosen_start": chosen,
        "heats": reached_in_heats,
        "turns": learner.turns,
        "best_step": best_step,
        "fell_back": best_step == 0,
        "held_out_log_likelihoods": learner.scores,
        "flow_spike_probability": torch.sigmoid(prior.log_odds).tolist(),
    }
    return Fitted(FlowModel(flow.cpu(), n, whitening.mean, whitening.matrix, whitening.inverse), claims)


def _trained_on(
    settings: Flow,
    effort: "Effort",
    flow: CouplingFlow,
    few: torch.Tensor,
    held_out: torch.Tensor,
    reached: float,
    samples: Samples,
    run: Run,
) -> dict[str, np.ndarray]:
    """Continue to train ``flow``, whose spikes are at 0, under the mixture of the patterns in its code; return them.

    If held-out samples are not likelier under the mixture than under independent latents (``reached``), the flow
    stays as it is and no patterns are claimed. A fit that is killed in this phase repeats the phase.
    """
    n = samples.n_latents
    prior = _patterns_of(settings, flow, few, n)
    steps = max(1, int(settings.mixture * effort.steps))
    learner = FlowLearner(
        flow,
        prior,
        schedule=FlowSchedule(
            steps, first_width=settings.last_width, last_width=settings.last_width, turns=0
        ),
        learning_rate=effort.learning_rate / 2,
        gradient_clip=settings.gradient_clip,
        input_noise=effort.noise,
        score=lambda flow, prior: _likelihood(settings, flow, prior, held_out),
        turn=lambda *_: False,
        evaluations=EVALUATIONS // 2,
    )
    trained = learner.best_score > reached
    run.notes["mixture"] = {
        "patterns": len(prior.active),
        "trained": trained,
        "held_out_log_likelihoods": learner.scores,
    }
    if trained:
        own = Run(seed=child_seed(run.seed, "mixture"), device=run.device)
        train(learner, samples, steps=steps, batch_size=settings.batch_for(n), run=own)
    learner.restore_best()
    if not trained:
        return {}
    _centre_code(flow, prior.centre, torch.diagonal(prior.covariance).sqrt())
    return {
        "supports": prior.active.cpu().numpy().astype(np.uint8),
        "support_weights": torch.softmax(prior.log_weights, 0).detach().cpu().numpy(),
    }


@torch.no_grad()
def _patterns_of(settings: Flow, flow: CouplingFlow, few: torch.Tensor, n: int) -> PatternMixture:
    """The mixture of the patterns in the code of ``flow``, whose spikes are at 0 and whose slabs have the scale 1."""
    code = flow(few)[0]
    one = torch.ones(n, 1, device=code.device)
    start = SpikeSlabPrior(weight=0.5 * one, centre=0 * one, width=0.1 * one, mean=0 * one, scale=one)
    bounds = WidthBounds(torch.tensor(settings.last_width), torch.tensor(WIDEST_SPIKE))
    spikes = fit_prior(code[:, :n].T, start, bounds, EM_STEPS)
    resting = log_odds(spikes, code[:, :n].T).sigmoid_().T
    found = find_supports(code[:, :n].double().cpu(), resting.double().cpu())
    found = Supports(*(part.float().to(code.device) for part in found))
    return PatternMixture(found, 0 * one[:, 0], 0.5 * code[:, n:].square().mean(0).log()).to(code.device)


@torch.no_grad()
def _likelihood(settings: Flow, flow: CouplingFlow, prior: PatternMixture, samples: torch.Tensor) -> float:
    """The mean log-likelihood of ``samples`` (samples, dim)."""
    y, log_det = flow(samples)
    return float((prior.log_density(y, settings.last_width) + log_det).mean())


def _mixture_likelihood(
    settings: Flow, learner: FlowLearner, few: torch.Tensor, held_out: torch.Tensor
) -> float:
    """The likelihood of held-out samples under the mixture of the patterns in the present code of ``learner``."""
    flow, prior = copy.deepcopy(learner.flow), learner.prior
    _centre_code(flow, prior.centre, prior.log_scale.exp())
    return _likelihood(settings, flow, _patterns_of(settings, flow, few, prior.latents), held_out)


class Effort(NamedTuple):
    """How long and how a flow is trained."""

    steps: int
    learning_rate: float
    noise: float


def effort_for(settings: FlowSettings, steps: int, n_latents: int, samples: int) -> Effort:
    """How long and how to train on this many samples. Few samples get fewer, smaller steps and more noise."""
    shortage = min(1.0, samples / PLENTY) ** 0.5
    most_steps = settings.most_epochs * max(1, samples // settings.batch_for(n_latents))
    return Effort(
        steps=min(steps, most_steps),
        learning_rate=settings.learning_rate * shortage,
        noise=settings.input_noise / shortage**0.5,
    )


def split_and_whitened(
    settings: FlowSettings, data: Samples, run: Run
) -> tuple[Whitening, np.ndarray, np.ndarray]:
    """The whitening of ``data``, and its whitened samples: those to train on and those held out."""
    x = data.array(settings.max_samples)
    n = data.n_latents
    whitening = principal_whitening(x, n, most=min(data.x_dim, settings.most_dims_per_latent * n))
    white = whitening.apply(x)[child_generator(run.seed, "held out").permutation(len(x))]
    held_out, training = np.split(white, [min(settings.held_out_samples, len(x) // 5)])
    return whitening, training, held_out


def _generator(run: Run, step: int) -> torch.Generator:
    return torch.Generator().manual_seed(child_seed(run.seed, "affine search", step))


def _started(
    settings: Flow, start: AffineSolution, white: torch.Tensor, seed: int
) -> tuple[CouplingFlow, JointSlabPrior]:
    """A flow that unmixes the first n dimensions of ``white`` (samples, dim) like ``start``, with slabs of scale 1.

    It leaves the other dimensions unchanged.
    """
    n, dim = len(start.unmixing), white.shape[1]
    with torch_stream(seed, "flow", device=torch.device("cpu")):
        flow = CouplingFlow(dim, blocks=settings.blocks, width=settings.width_for(n))
    flow.start_as(start.unmixing / start.prior.spikes.scale, torch.zeros(n))
    prior = JointSlabPrior(n, dim - n)
    prior.start_as(start.prior.rescaled(), _blocks_of(start, white[:, :n].T.cpu()))
    return flow, prior


def _blocks_of(solution: AffineSolution, white: torch.Tensor) -> torch.Tensor:
    """The latents (n, n) of ``solution`` that rest together in ``white`` (n, samples), see :func:`.blocks_of`."""
    return blocks_of(solution.prior.evaluate(solution.unmixing @ white).spike)


@torch.no_grad()
def _turn(
    flow: CouplingFlow,
    prior: JointSlabPrior,
    white: torch.Tensor,
    plan: SpikeSlab,
    generator: torch.Generator,
) -> bool:
    """Search again for the affine solution of the flow's code; replace it if the search finds a better one."""
    n = prior.latents
    code = flow(white)[0][:, :n].cpu()
    whitening = principal_whitening(code.numpy(), n)
    mean = torch.from_numpy(whitening.mean).float()
    bounds = WidthBounds(torch.tensor(plan.narrowest_width), torch.tensor(plan.widest_width))
    present = fit_prior(code.T, prior.independent().cpu(), bounds, EM_STEPS).shifted(-mean[:, None])
    white_code = torch.from_numpy(whitening.apply(code.numpy())).T.contiguous()
    given = torch.from_numpy(whitening.inverse).float(), present
    found = solve(white_code, plan, generator, given=given)
    if max(found.start_log_likelihoods) < found.start_log_likelihoods[0] + LEAST_GAIN:
        return False
    linear = (found.unmixing / found.prior.spikes.scale) @ torch.from_numpy(whitening.matrix).float()
    flow.append_affine(linear, -linear @ mean)
    prior.start_as(found.prior.rescaled(), _blocks_of(found, white_code))
    return True


def _give_principal_components(flow: CouplingFlow, whitening: Whitening, n: int) -> None:
    """Make the untrained flow undo the scaling, so that the next method sees what it would see without a flow."""
    deviations = np.linalg.norm(whitening.inverse[:, :n], axis=0)
    flow.start_as(torch.from_numpy(np.diag(deviations)).float(), torch.zeros(n))


@torch.no_grad()
def _centre_code(flow: CouplingFlow, centre: torch.Tensor, scale: torch.Tensor) -> None:
    """Move the spikes from ``centre`` (n,) to 0 and scale the slabs from ``scale`` (n,) to 1, for the next method."""
    flow.append_affine(torch.diag(1 / scale), -centre / scale)
