"""Choosing among states of a flow by the likelihood of samples that it was not trained on."""

import numpy as np
import torch
from torch.nn.functional import logsigmoid

from pdgmm.methods.spike_slab.blocks import log_density_in_blocks
from pdgmm.methods.spike_slab.joint_slab import WIDEST_SPIKE, JointSlabPrior
from pdgmm.methods.spike_slab.spike_slab_prior import (
    LOG_2PI,
    SpikeSlabPrior,
    WidthBounds,
    evaluate,
    fit_prior,
    log_density,
    log_odds,
)
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.seeds import child_generator

EM_STEPS = 10


def noisy(white: np.ndarray, deviation: float, seed: int) -> torch.Tensor:
    """The samples with noise like that in training, see :class:`.FlowLearner`, but always the same noise."""
    noise = child_generator(seed, "noise").standard_normal(white.shape, dtype=np.float32)
    return torch.from_numpy(white + np.float32(deviation) * noise)


class HeldOutLikelihood:
    """Mean log-likelihood per held-out sample, comparable between all states of a training.

    The width of the spikes is annealed during training, so the density that is trained changes from step to step.
    For a comparison, new independent spikes and slabs are fitted to the code of ``fitted`` (samples, dim) by EM,
    with widths of at least ``narrowest``, and scored on ``held_out`` (samples, dim).
    """

    def __init__(self, fitted: torch.Tensor, held_out: torch.Tensor, narrowest: float) -> None:
        self._fitted = fitted
        self._held_out = held_out
        self._bounds = WidthBounds(torch.tensor(narrowest), torch.tensor(WIDEST_SPIKE))

    @torch.no_grad()
    def __call__(self, flow: CouplingFlow, prior: JointSlabPrior) -> float:
        n = prior.latents
        code, _ = flow(self._fitted)
        y, log_det = flow(self._held_out)
        marginal = fit_prior(code[:, :n].T, prior.independent(), self._bounds, EM_STEPS)
        latent = evaluate(marginal, y[:, :n].T).log_density.sum()
        if prior.has_blocks:
            latent = _in_blocks(marginal, y[:, :n].T, prior.membership).mean()
        residual_variance = code[:, n:].square().mean(0)
        residual = -0.5 * (y[:, n:].square().mean(0) / residual_variance + residual_variance.log() + LOG_2PI)
        return float(latent + residual.sum() + log_det.mean())


def _in_blocks(prior: SpikeSlabPrior, y: torch.Tensor, membership: torch.Tensor) -> torch.Tensor:
    """Log-densities (samples,) of ``y`` (n, samples) if the latents of a block rest together."""
    odds, total = log_odds(prior, y), log_density(prior, y)
    # The two parts of a latent's density, and the densities without their weights.
    spike = total + logsigmoid(odds) - prior.weight.log()
    slab = total + logsigmoid(-odds) - torch.log1p(-prior.weight)
    return log_density_in_blocks(spike.T, slab.T, prior.weight[:, 0].logit(), membership)
