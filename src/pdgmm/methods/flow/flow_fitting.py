"""The torch side of the flow: affine start, training with turns, choice by held-out likelihood."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from pdgmm.errors import FitFailed
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.fitting.whitening import principal_whitening
from pdgmm.methods.flow.flow import Flow
from pdgmm.methods.flow.flow_learner import FlowLearner
from pdgmm.methods.flow.flow_schedule import FlowSchedule
from pdgmm.methods.flow.heats import Heat, Start, best_start, distinct_starts
from pdgmm.methods.flow.regressed_start import regressed_start
from pdgmm.methods.flow.selection import EM_STEPS, HeldOutLikelihood, noisy
from pdgmm.methods.spike_slab.affine_search import AffineSolution, solve
from pdgmm.methods.spike_slab.joint_slab import JointSlabPrior
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.methods.spike_slab.spike_slab_prior import WidthBounds, fit_prior
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.flow_model import FlowModel
from pdgmm.seeds import child_generator, child_seed

PLAN = SpikeSlab(
    starts=16, directions_per_latent=20, most_directions=300, search_samples=5_000, search_iterations=150
)
"""More thorough than stage 2 on its own: a wrong affine solution costs the whole training."""

MOST_SEARCHES, SEARCHED_LATENTS = 3, 40
"""Searches of the first affine solution: so many, but fewer where all of them together have more latents.

Some searches miss the best solution they could find. With many latents one takes as long as the training.
"""

MOST_TRIES, TRIED_LATENTS = 2, 10
"""Whole trainings, of which held-out likelihood keeps one: so many, but fewer where all of them have more latents.

With few latents a training is cheap, and some end in a worse optimum than another training does.
"""

SEARCH_SAMPLES = 20_000
"""Samples that affine solutions are searched on and priors fitted to."""

PLENTY = 20_000
"""Samples from which on nothing has to be done about overfitting."""

EVALUATIONS = 10
"""How often the held-out likelihood is measured while training."""

LEAST_GAIN = 0.005
"""Log-likelihood per sample by which a new affine solution must exceed the present one."""


def fit_flow(settings: Flow, data: Samples, run: Run) -> Fitted:
    """Train the flow that ``settings`` describe on ``data``."""
    device = torch.device(resolve_device(run.device))
    n = data.n_latents
    x = data.array(settings.max_samples)
    whitening = principal_whitening(x, n, most=min(data.x_dim, settings.most_dims_per_latent * n))
    white = whitening.apply(x)[child_generator(run.seed, "held out").permutation(len(x))]
    held_out, training = np.split(white, [min(settings.held_out_samples, len(x) // 5)])
    effort = _effort(settings, n, len(training))
    few = noisy(training[:SEARCH_SAMPLES], effort.noise, run.seed)

    searches = _searches(few[:, :n].T, run)
    found = max(searches, key=lambda solution: solution.log_likelihood)
    few = few.to(device)
    score = HeldOutLikelihood(few, noisy(held_out, effort.noise, run.seed).to(device), settings.last_width)

    def learner_from(start: Start, effort: _Effort, turns: int, evaluations: int, seed: int) -> FlowLearner:
        flow, prior = _started(settings, start, few.shape[1], seed)
        return FlowLearner(
            flow.to(device),
            prior.to(device),
            schedule=FlowSchedule(
                effort.steps, first_width=settings.first_width, last_width=settings.last_width, turns=turns
            ),
            learning_rate=effort.learning_rate,
            gradient_clip=settings.gradient_clip,
            input_noise=effort.noise,
            score=score,
            turn=lambda flow, prior, step: _turn(flow, prior, few, _generator(run, step)),
            evaluations=evaluations,
        )

    samples = Samples(training, n)

    def heat(start: Start) -> Heat:
        short = effort._replace(steps=max(1, int(settings.heat * effort.steps)))
        learner = learner_from(start, short, turns=0, evaluations=1, seed=run.seed)
        own = Run(seed=child_seed(run.seed, "heat"), device=run.device)
        train(learner, samples, steps=short.steps, batch_size=settings.batch_for(n), run=own)
        return Heat(learner.scores[-1][1], lambda: _regressed(learner.flow, learner.prior, few))

    starts = distinct_starts(searches) if settings.heat else [(found.unmixing, found.prior)]
    choice = best_start(starts, heat)

    def whole(run: Run) -> FlowLearner:
        learner = learner_from(choice.start, effort, settings.turns, EVALUATIONS, run.seed)
        run.notes["last_step"] = train(
            learner, samples, steps=effort.steps, batch_size=settings.batch_for(n), run=run
        )
        return learner

    learner, tries = _best_of(whole, run, min(MOST_TRIES, max(1, TRIED_LATENTS // n)))
    best_step = learner.restore_best()
    flow, prior = learner.flow.cpu(), learner.prior.cpu()
    _centre_code(flow, prior)
    run.notes |= found.notes() | {
        "heats": _finite(choice.heats),
        "refined_heats": _finite(choice.refined),
        "tries": tries,
        "turns": learner.turns,
        "best_step": best_step,
        "fell_back": best_step == 0,
        "held_out_log_likelihoods": learner.scores,
        "flow_spike_probability": torch.sigmoid(prior.log_odds).tolist(),
    }
    return Fitted(FlowModel(flow, n, whitening.mean, whitening.matrix, whitening.inverse))


def _best_of(whole: Callable[[Run], FlowLearner], run: Run, tries: int) -> tuple[FlowLearner, list[float]]:
    """The training with the best held-out likelihood, its history in ``run``, and the likelihood of each.

    The first one is the run itself, with its checkpoints; the others use other random numbers.
    """
    learner = whole(run)
    scores = [learner.best_score]
    for number in range(1, tries):
        own = Run(seed=child_seed(run.seed, "try", number), device=run.device)
        try:
            other = whole(own)
        except FitFailed:
            continue
        if other.best_score > max(scores):
            learner = other
            run.history[:], run.notes["last_step"] = own.history, own.notes["last_step"]
        scores.append(other.best_score)
    return learner, scores


def _finite(scores: list[float]) -> list[float | None]:
    """The scores as JSON has them: None for a training that failed."""
    return [score if math.isfinite(score) else None for score in scores]


class _Effort(NamedTuple):
    steps: int
    learning_rate: float
    noise: float


def _effort(settings: Flow, n_latents: int, samples: int) -> _Effort:
    """Few samples are soon learned by heart: fewer and smaller steps and more noise let a flow gain from them."""
    shortage = min(1.0, samples / PLENTY) ** 0.5
    most_steps = settings.most_epochs * max(1, samples // settings.batch_for(n_latents))
    return _Effort(
        steps=min(settings.steps_for(n_latents), most_steps),
        learning_rate=settings.learning_rate * shortage,
        noise=settings.input_noise / shortage**0.5,
    )


def _searches(white: torch.Tensor, run: Run) -> list[AffineSolution]:
    """Affine solutions of ``white`` (n, samples), each searched from other starts and on other samples first."""
    solutions = []
    for number in range(min(MOST_SEARCHES, max(1, SEARCHED_LATENTS // len(white)))):
        generator = _generator(run, -number)
        order = torch.randperm(white.shape[1], generator=generator)
        solutions.append(solve(white[:, order].contiguous(), PLAN, generator))
    return solutions


def _generator(run: Run, step: int) -> torch.Generator:
    return torch.Generator().manual_seed(child_seed(run.seed, "affine search", step))


def _started(settings: Flow, start: Start, dim: int, seed: int) -> tuple[CouplingFlow, JointSlabPrior]:
    """A flow that unmixes the first n whitened dimensions as ``start`` does, scaled to slabs of scale 1.

    It leaves the other dimensions as they are.
    """
    unmixing, affine_prior = start
    n = len(unmixing)
    with torch_stream(seed, "flow", device=torch.device("cpu")):
        flow = CouplingFlow(dim, blocks=settings.blocks, width=settings.width_for(n))
    flow.start_as(unmixing / affine_prior.spikes.scale, torch.zeros(n))
    prior = JointSlabPrior(n, dim - n)
    prior.start_as(affine_prior.rescaled())
    return flow, prior


@torch.no_grad()
def _regressed(flow: CouplingFlow, prior: JointSlabPrior, white: torch.Tensor) -> Start:
    """The affine start nearest to the flow's code of ``white`` (samples, dimensions)."""
    n = prior.latents
    code = flow(white)[0][:, :n].cpu()
    return regressed_start(white[:, :n].cpu(), code, prior.independent().cpu())


@torch.no_grad()
def _turn(flow: CouplingFlow, prior: JointSlabPrior, white: torch.Tensor, generator: torch.Generator) -> bool:
    """Search the affine solution of the flow's code anew; replace it if the search finds a better one."""
    n = prior.latents
    code = flow(white)[0][:, :n].cpu()
    whitening = principal_whitening(code.numpy(), n)
    mean = torch.from_numpy(whitening.mean).float()
    bounds = WidthBounds(torch.tensor(PLAN.narrowest_width), torch.tensor(PLAN.widest_width))
    present = fit_prior(code.T, prior.independent().cpu(), bounds, EM_STEPS).shifted(-mean[:, None])
    white_code = torch.from_numpy(whitening.apply(code.numpy())).T.contiguous()
    given = torch.from_numpy(whitening.inverse).float(), present
    found = solve(white_code, PLAN, generator, given=given)
    finalists = found.finalist_log_likelihoods
    if max(finalists) < finalists[-1] + LEAST_GAIN:
        return False
    linear = (found.unmixing / found.prior.spikes.scale) @ torch.from_numpy(whitening.matrix).float()
    flow.append_affine(linear, -linear @ mean)
    prior.start_as(found.prior.rescaled())
    return True


@torch.no_grad()
def _centre_code(flow: CouplingFlow, prior: JointSlabPrior) -> None:
    """Move the spikes to 0 and scale the slabs to 1, as the next stage expects them."""
    factors = torch.exp(-prior.log_scale)
    flow.append_affine(torch.diag(factors), -prior.centre * factors)
