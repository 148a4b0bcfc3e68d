"""The torch side of the oracle: affine start, training with known masks, choice by held-out likelihood."""

from typing import NamedTuple

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
from pdgmm.methods.oracle.known_mask_prior import KnownMaskPrior
from pdgmm.methods.oracle.masked_directions import masked_directions
from pdgmm.methods.oracle.moments import KnownMaskMoments
from pdgmm.methods.oracle.oracle import Oracle
from pdgmm.models.affine_model import AffineModel
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.flow_model import FlowModel
from pdgmm.seeds import child_generator

WARMUP_STEPS = 50


def fit_oracle(settings: Oracle, data: Samples, run: Run) -> Fitted:
    """The model that ``settings`` describe, fitted to ``data`` and the components and masks that it is told."""
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
    start = _affine_start(white[:, :n], active)
    batches = max(1, int(0.8 * len(x)) // settings.batch_size)
    steps = min(settings.steps_for(n), settings.most_epochs * batches)
    if steps == 0:
        return Fitted(AffineModel(whitening.mean, start.linear @ whitening.matrix[:n], start.offset))

    order = child_generator(run.seed, "held out").permutation(len(x))
    held_out, training = np.split(order, [min(settings.held_out_samples, len(x) // 5)])
    model = _started(settings, start, white.shape[1], masks, run)
    score = _HeldOutScore(white, active, training[: len(held_out)], held_out, settings, run)
    flow = model["flow"]
    before, initial = score(flow), {name: value.clone() for name, value in flow.state_dict().items()}
    _train(settings, model, white[training], component[training], steps, run)
    after = score(flow)
    if not after > before:
        flow.load_state_dict(initial)
    run.notes |= {"held_out_log_likelihoods": [before, after], "fell_back": not after > before}
    _standardise(flow, white, active)
    return Fitted(FlowModel(flow, n, whitening.mean, whitening.matrix, whitening.inverse))


class _AffineStart(NamedTuple):
    """``linear @ white + offset``: masked latents at 0, active ones with standard deviation 1 and ``mean``."""

    linear: np.ndarray
    offset: np.ndarray
    mean: np.ndarray


def _affine_start(white: np.ndarray, active: np.ndarray) -> _AffineStart:
    directions = masked_directions(white, active)
    moments = KnownMaskMoments.of(white @ directions.T, active)
    scale = moments.scale
    return _AffineStart(
        directions / scale[:, None], -moments.centre / scale, (moments.mean - moments.centre) / scale
    )


def _started(settings: Oracle, start: _AffineStart, dim: int, masks: np.ndarray, run: Run) -> nn.ModuleDict:
    """A flow that unmixes the first n whitened dimensions as ``start`` does and leaves the others as they are."""
    n = len(start.linear)
    with torch_stream(run.seed, "flow", device=torch.device("cpu")):
        flow = CouplingFlow(dim, blocks=settings.blocks, width=settings.width)
    flow.start_as(torch.from_numpy(start.linear), torch.from_numpy(start.offset))
    prior = KnownMaskPrior(torch.from_numpy(masks), dim - n)
    with torch.no_grad():
        prior.mean.copy_(torch.from_numpy(start.mean))
    return nn.ModuleDict({"flow": flow, "prior": prior})


def _train(
    settings: Oracle, model: nn.ModuleDict, white: np.ndarray, component: np.ndarray, steps: int, run: Run
) -> None:
    """Train on whitened observations (samples, dim) and their components (samples,)."""
    device = torch.device(resolve_device(run.device))
    model.to(device)
    schedule = FlowSchedule(steps, first_width=settings.first_width, last_width=settings.last_width)
    flow, prior = model["flow"], model["prior"]
    # Part of the state: a resumed training goes on with the width it had.
    prior.register_buffer("step", torch.zeros((), dtype=torch.int64, device=device))

    def objective(batch: Batch) -> Metrics:
        prior.step += 1
        white = batch["x"]
        # Masked latents lie on a hypersurface: without noise a flow could gain without end by stretching it.
        y, log_det = flow(white + settings.input_noise * torch.randn_like(white))
        narrowest = schedule.narrowest_width(int(prior.step))
        return {"loss": -(prior.log_density(y, batch["component"], narrowest) + log_det).mean()}

    learner = AdamLearner(
        model, objective, learning_rate=settings.learning_rate, gradient_clip=settings.gradient_clip
    )
    run.notes["last_step"] = train(
        learner,
        Samples(white, prior.latents, side={"component": component.astype(np.int64)}),
        steps=steps,
        batch_size=settings.batch_size,
        run=run,
        schedule="cosine",
        warmup_steps=min(WARMUP_STEPS, steps // 2),
    )
    model.cpu()


class _HeldOutScore:
    """Log-likelihood per held-out sample of a flow's code, each latent on its own, with moments of other samples."""

    def __init__(
        self,
        white: np.ndarray,
        active: np.ndarray,
        fitted: np.ndarray,
        held_out: np.ndarray,
        settings: Oracle,
        run: Run,
    ) -> None:
        rows = np.concatenate([fitted, held_out])
        self._white = noisy(white[rows], settings.input_noise, run.seed)
        self._active = active[rows]
        self._fitted = len(fitted)
        self._narrowest = settings.last_width

    @torch.no_grad()
    def __call__(self, flow: CouplingFlow) -> float:
        y, log_det = flow(self._white)
        n, fitted = self._active.shape[1], self._fitted
        code = y.numpy()
        moments = KnownMaskMoments.of(code[:fitted, :n], self._active[:fitted])
        latents = moments.log_likelihood(code[fitted:, :n], self._active[fitted:], self._narrowest)
        # The residuals have moments as well, but no masks: normal, with the variance of the fitted samples.
        variance = code[:fitted, n:].var(axis=0)
        residuals = (
            -0.5 * (code[fitted:, n:] ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=1).mean()
        )
        return latents + float(residuals) + float(log_det[fitted:].mean())


@torch.no_grad()
def _standardise(flow: CouplingFlow, white: np.ndarray, active: np.ndarray) -> None:
    """Put masked latents at 0 and give active ones the standard deviation 1."""
    n = active.shape[1]
    some = slice(0, 20_000)
    code = flow(torch.from_numpy(white[some]))[0][:, :n].numpy()
    moments = KnownMaskMoments.of(code, active[some])
    linear = torch.from_numpy(np.diag(1 / moments.scale))
    flow.append_affine(linear, torch.from_numpy(-moments.centre / moments.scale))
