"""Train one flow from one affine start: under spikes and slabs with turns, then under the mixture of patterns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.fitting.whitening import principal_whitening
from pdgmm.methods.flow.flow import Flow
from pdgmm.methods.flow.flow_learner import FlowLearner
from pdgmm.methods.flow.flow_preparation import Effort
from pdgmm.methods.flow.flow_schedule import FlowSchedule
from pdgmm.methods.flow.pattern_mixture import PatternMixture
from pdgmm.methods.flow.selection import EM_STEPS, HeldOutLikelihood
from pdgmm.methods.spike_slab.affine_search import AffineSolution, solve
from pdgmm.methods.spike_slab.blocks import blocks_of
from pdgmm.methods.spike_slab.joint_slab import WIDEST_SPIKE, JointSlabPrior
from pdgmm.methods.spike_slab.patterns import Supports, find_supports
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, WidthBounds, fit_prior, log_odds
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.seeds import child_seed

EVALUATIONS = 10
"""How often the held-out likelihood is measured while training."""

LEAST_GAIN = 0.005
"""How much better, in log-likelihood per sample, a new affine solution must be than the present one."""


@dataclass(frozen=True)
class Material:
    """What all trainings of one fit share.

    ``few`` and ``held_out`` (samples, dim) have noise and are on the device of the training: samples to search affine
    solutions and fit priors with, and those that choose among states. ``plan`` is how affine solutions are searched.
    """

    settings: Flow
    effort: Effort
    plan: SpikeSlab
    samples: Samples
    few: torch.Tensor
    held_out: torch.Tensor


@dataclass(frozen=True)
class TrainedFlow:
    """A flow whose spikes are at 0 and whose slabs have the scale 1, what it claims, and what to note.

    ``log_likelihood`` is the highest of held-out samples, under spikes and slabs or under the mixture of patterns.
    ``straightness`` is how far the code is an affine function of the held-out samples, see :func:`straightness`.
    """

    flow: CouplingFlow
    claims: dict[str, np.ndarray]
    log_likelihood: float
    straightness: float
    notes: dict[str, Any]


def affine_generator(seed: int, step: int) -> torch.Generator:
    """Random numbers for the affine search before training step ``step``."""
    return torch.Generator().manual_seed(child_seed(seed, "affine search", step))


def trained_from(
    start: AffineSolution, material: Material, run: Run, *, turns: int, steps: int
) -> TrainedFlow:
    """Train the flow that begins as ``start``; with ``steps`` 0 it stays as it begins."""
    settings, effort, few = material.settings, material.effort, material.few
    flow, prior = _started(settings, start, few, run.seed)
    learner = FlowLearner(
        flow.to(few.device),
        prior.to(few.device),
        schedule=FlowSchedule(
            effort.steps, first_width=settings.first_width, last_width=settings.last_width, turns=turns
        ),
        learning_rate=effort.learning_rate,
        gradient_clip=settings.gradient_clip,
        input_noise=effort.noise,
        score=HeldOutLikelihood(few, material.held_out, settings.last_width),
        turn=lambda flow, prior, step: _turn(
            flow, prior, few, material.plan, affine_generator(run.seed, step)
        ),
        evaluations=EVALUATIONS,
    )
    n = material.samples.n_latents
    if steps:
        train(learner, material.samples, steps=steps, batch_size=settings.batch_for(n), run=run)
    best_step = learner.restore_best()
    flow, prior = learner.flow, learner.prior
    _centre_code(flow, prior.centre, prior.log_scale.exp())
    mixture = _trained_on(flow, material, learner.best_score, run) if steps and settings.mixture else None
    trained = mixture is not None and mixture.trained
    return TrainedFlow(
        flow,
        mixture.claims() if trained else {},
        max(learner.best_score, mixture.learner.best_score) if trained else learner.best_score,
        straightness(flow, material.held_out, n),
        {
            "turns": learner.turns,
            "best_step": best_step,
            "fell_back": best_step == 0,
            "held_out_log_likelihoods": learner.scores,
            "flow_spike_probability": torch.sigmoid(prior.log_odds).tolist(),
            "mixture": mixture and mixture.notes(),
        },
    )


@torch.no_grad()
def straightness(flow: CouplingFlow, white: torch.Tensor, n_latents: int) -> float:
    """R2 of the best affine map from ``white`` (samples, dim) to the code of ``flow``, mean over the latents.

    A mixing bends its samples a little everywhere. A flow that exchanges or turns latents in some of the components
    makes the code as likely, but it has to bend far more.
    """
    code = flow(white)[0][:, :n_latents].double()
    design = torch.cat([white, torch.ones_like(white[:, :1])], dim=1).double()
    residual = code - design @ torch.linalg.lstsq(design, code).solution
    return float((1 - residual.var(0) / code.var(0)).mean())


@dataclass(frozen=True)
class _MixturePhase:
    """The training under the mixture of patterns; ``trained`` is False if held-out samples rejected it at once."""

    prior: PatternMixture
    learner: FlowLearner
    trained: bool

    def claims(self) -> dict[str, np.ndarray]:
        """The patterns and their weights."""
        return {
            "supports": self.prior.active.cpu().numpy().astype(np.uint8),
            "support_weights": torch.softmax(self.prior.log_weights, 0).detach().cpu().numpy(),
        }

    def notes(self) -> dict[str, Any]:
        """Its part of ``model.json``."""
        return {
            "patterns": len(self.prior.active),
            "trained": self.trained,
            "held_out_log_likelihoods": self.learner.scores,
        }


def _trained_on(flow: CouplingFlow, material: Material, reached: float, run: Run) -> _MixturePhase:
    """Continue to train ``flow``, whose spikes are at 0, under the mixture of the patterns in its code.

    If held-out samples are not likelier under the mixture than under independent latents (``reached``), the flow
    stays as it is. A fit that is killed in this phase repeats the phase.
    """
    settings, effort, samples = material.settings, material.effort, material.samples
    prior = _patterns_of(settings, flow, material.few, samples.n_latents)
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
        score=lambda flow, prior: _likelihood(settings, flow, prior, material.held_out),
        turn=lambda *_: False,
        evaluations=EVALUATIONS // 2,
    )
    trained = learner.best_score > reached
    if trained:
        own = Run(seed=child_seed(run.seed, "mixture"), device=run.device)
        train(learner, samples, steps=steps, batch_size=settings.batch_for(samples.n_latents), run=own)
    learner.restore_best()
    if trained:
        _centre_code(flow, prior.centre, torch.diagonal(prior.covariance).sqrt())
    return _MixturePhase(prior, learner, trained)


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
    prior.start_as(start.prior.rescaled(), latents_in_blocks(start, white[:, :n].T.cpu()))
    return flow, prior


def latents_in_blocks(solution: AffineSolution, white: torch.Tensor) -> torch.Tensor:
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
    prior.start_as(found.prior.rescaled(), latents_in_blocks(found, white_code))
    return True


@torch.no_grad()
def _centre_code(flow: CouplingFlow, centre: torch.Tensor, scale: torch.Tensor) -> None:
    """Move the spikes from ``centre`` (n,) to 0 and scale the slabs from ``scale`` (n,) to 1, for the next method."""
    flow.append_affine(torch.diag(1 / scale), -centre / scale)
