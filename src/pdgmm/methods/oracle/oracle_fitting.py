"""The torch side of the oracle: affine start, training with known masks, choice by held-out likelihood."""

from functools import partial

import numpy as np
import torch
from torch import nn

from pdgmm.errors import UserError
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.fitting.whitening import principal_whitening
from pdgmm.methods.flow.flow_schedule import FlowSchedule
from pdgmm.methods.flow.selection import noisy
from pdgmm.methods.oracle.known_masks import KnownMaskMoments, KnownMaskPrior, masked_directions
from pdgmm.methods.oracle.oracle import Oracle
from pdgmm.models.affine_model import AffineModel
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.flow_model import FlowModel
from pdgmm.seeds import child_generator

WARMUP_STEPS = 50

STANDARDISATION_ROWS = 20_000


def fit_oracle(settings: Oracle, data: Samples, run: Run) -> Fitted:
    """Fit the model that ``settings`` describe to ``data``, with the components and masks that it is told."""
    masks, component = data.told["masks"].astype(bool), data.told["component"]
    n = masks.shape[1]
    if len(component) != data.n_samples or not 0 <= component.min() <= component.max() < len(masks):
        raise UserError(
            f"{len(component)} components from {component.min()} to {component.max()} do not fit {data.n_samples} "
            f"samples and {len(masks)} masks"
        )
    x = data.array(settings.max_samples)
    component = component[: len(x)]
    active = masks[component]
    whitening = principal_whitening(x, n, most=min(data.x_dim, settings.most_dims_per_latent * n))
    white = whitening.apply(x)
    # The start puts masked latents at 0 and gives active ones the standard deviation 1.
    directions = masked_directions(white[:, :n], active)
    moments = KnownMaskMoments.of(white[:, :n] @ directions.T, active)
    linear, offset = directions / moments.scale[:, None], -moments.centre / moments.scale
    batches = max(1, int(0.8 * len(x)) // settings.batch_size)
    steps = min(settings.steps_for(n), settings.most_epochs * batches)
    if steps == 0:
        return Fitted(AffineModel(whitening.mean, linear @ whitening.matrix[:n], offset))

    order = child_generator(run.seed, "held out").permutation(len(x))
    held_out, training = np.split(order, [min(settings.held_out_samples, len(x) // 5)])
    # The flow unmixes the first n whitened dimensions like the start and leaves the others unchanged.
    with torch_stream(run.seed, "flow", device=torch.device("cpu")):
        flow = CouplingFlow(white.shape[1], blocks=settings.blocks, width=settings.width)
    flow.start_as(torch.from_numpy(linear), torch.from_numpy(offset))
    prior = KnownMaskPrior(torch.from_numpy(masks), white.shape[1] - n)
    prior.mean.data.copy_(torch.from_numpy((moments.mean - moments.centre) / moments.scale))
    rows = np.concatenate([training[: len(held_out)], held_out])
    score = partial(
        _held_out_score,
        flow,
        noisy(white[rows], settings.input_noise, run.seed),
        active[rows],
        fitted=len(rows) - len(held_out),
        narrowest=settings.last_width,
    )
    before, initial = score(), {name: value.clone() for name, value in flow.state_dict().items()}
    side = {"component": component[training].astype(np.int64)}
    _train(settings, flow, prior, Samples(white[training], n, side=side), steps, run)
    after = score()
    if not after > before:
        flow.load_state_dict(initial)
    run.notes |= {"held_out_log_likelihoods": [before, after], "fell_back": not after > before}
    _standardise(flow, white[:STANDARDISATION_ROWS], active[:STANDARDISATION_ROWS])
    return Fitted(FlowModel(flow, n, whitening.mean, whitening.matrix, whitening.inverse))


def _train(
    settings: Oracle, flow: CouplingFlow, prior: KnownMaskPrior, data: Samples, steps: int, run: Run
) -> None:
    """Train on whitened observations ``x`` (samples, dim), with their ``component`` (samples,) beside them."""
    device = torch.device(resolve_device(run.device))
    model = nn.ModuleDict({"flow": flow, "prior": prior}).to(device)
    schedule = FlowSchedule(steps, first_width=settings.first_width, last_width=settings.last_width)
    # Part of the state, so that a resumed training continues with the same width.
    prior.register_buffer("step", torch.zeros((), dtype=torch.int64, device=device))

    def objective(batch: Batch) -> Metrics:
        prior.step += 1
        white = batch["x"]
        # Masked latents lie on a hypersurface: without noise, a flow could gain without limit by stretching it.
        y, log_det = flow(white + settings.input_noise * torch.randn_like(white))
        narrowest = schedule.narrowest_width(int(prior.step))
        return {"loss": -(prior.log_density(y, batch["component"], narrowest) + log_det).mean()}

    train(
        AdamLearner(
            model, objective, learning_rate=settings.learning_rate, gradient_clip=settings.gradient_clip
        ),
        data,
        steps=steps,
        batch_size=settings.batch_size,
        run=run,
        schedule="cosine",
        warmup_steps=min(WARMUP_STEPS, steps // 2),
    )
    model.cpu()


@torch.no_grad()
def _held_out_score(
    flow: CouplingFlow, white: torch.Tensor, active: np.ndarray, *, fitted: int, narrowest: float
) -> float:
    """Mean log-likelihood of the flow's codes of held-out samples, with the latents taken as independent.

    The moments come from the first ``fitted`` samples (samples, dim); the samples after those are scored.
    """
    y, log_det = flow(white)
    n, code = active.shape[1], y.numpy()
    moments = KnownMaskMoments.of(code[:fitted, :n], active[:fitted])
    latents = moments.log_likelihood(code[fitted:, :n], active[fitted:], narrowest)
    # The residuals have no masks: they are normal, with the variance of the fitted samples.
    variance = code[:fitted, n:].var(axis=0)
    residuals = -0.5 * (code[fitted:, n:] ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=1).mean()
    return latents + float(residuals) + float(log_det[fitted:].mean())


@torch.no_grad()
def _standardise(flow: CouplingFlow, white: np.ndarray, active: np.ndarray) -> None:
    """Put masked latents at 0 and give active ones the standard deviation 1."""
    code = flow(torch.from_numpy(white))[0][:, : active.shape[1]].numpy()
    moments = KnownMaskMoments.of(code, active)
    linear = torch.from_numpy(np.diag(1 / moments.scale))
    flow.append_affine(linear, torch.from_numpy(-moments.centre / moments.scale))
