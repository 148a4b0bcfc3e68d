"""Spikes and slabs of latents whose slabs depend linearly on each other.

``p(y) = prod_i [w_i N(y_i; c_i, e_i^2) + (1 - w_i) N(y_i; m_i + sum_{j<i} b_ij (y_j - c_j), s_i^2)]``

It is a product of conditional densities in the order of the coordinates, so it is normalised. When all latents are
active it can be any Gaussian, and a masked latent (``y_j = c_j``) does not affect the others. Independent slabs
(``b = 0``) are wrong for causally related latents and pull the map away from them.
"""

from dataclasses import dataclass, replace

import torch

from pdgmm.methods.spike_slab.spike_slab_prior import (
    LOG_2PI,
    Evaluation,
    Moments,
    SpikeSlabPrior,
    WidthBounds,
    m_step,
    mean_softplus,
)

RIDGE = 1e-3
"""Added to the normal equations of the regression among the slabs, relative to unit variances."""


@dataclass(frozen=True)
class DependentPrior:
    """``spikes`` holds ``w, c, e, m, s`` (…, n, 1), ``dependence`` the strictly lower matrix ``b`` (…, n, n)."""

    spikes: SpikeSlabPrior
    dependence: torch.Tensor

    @classmethod
    def from_independent(cls, prior: SpikeSlabPrior) -> "DependentPrior":
        """The same density, with ``b = 0``."""
        n = prior.centre.shape[-2]
        return cls(prior, torch.zeros_like(prior.centre).expand(*prior.centre.shape[:-1], n).contiguous())

    def __getitem__(self, index: torch.Tensor | slice | int) -> "DependentPrior":
        return DependentPrior(self.spikes[index], self.dependence[index])

    def where(self, condition: torch.Tensor, other: "DependentPrior") -> "DependentPrior":
        """These parameters where ``condition`` holds, else those of ``other``."""
        return DependentPrior(
            self.spikes.where(condition, other.spikes),
            torch.where(condition, self.dependence, other.dependence),
        )

    def within(self, bounds: WidthBounds) -> "DependentPrior":
        """The same with the widths moved into ``bounds``."""
        return replace(self, spikes=self.spikes.within(bounds))

    def rescaled(self) -> "DependentPrior":
        """The prior of ``y / s``."""
        scale = self.spikes.scale
        return DependentPrior(self.spikes.rescaled(), self.dependence * scale.mT / scale)

    def evaluate(self, y: torch.Tensor) -> Evaluation:
        """Density, score, its diagonal derivative and moments of ``y`` (…, n, samples).

        The derivative ignores that ``y_i`` moves the slabs of the others. That is good enough for a climb, whose
        curvature is an approximation anyway.
        """
        prior = self.spikes
        deviation = y - prior.centre
        surprise = (y - prior.mean).sub_(self.dependence @ deviation)
        spike_score = deviation / prior.width**2
        slab_score = surprise / prior.scale**2
        slab_square = surprise.mul_(slab_score)
        odds = deviation.mul_(spike_score).neg_().add_(slab_square).mul_(0.5)
        odds += torch.logit(prior.weight) + torch.log(prior.scale / prior.width)
        spike = torch.sigmoid(odds)
        slab_constant = torch.log1p(-prior.weight) - torch.log(prior.scale) - 0.5 * LOG_2PI
        density = mean_softplus(odds, spike) - 0.5 * slab_square.mean(-1) + slab_constant[..., 0]
        slab = 1 - spike
        active_score = slab * slab_score
        score = torch.addcmul(active_score - self.dependence.mT @ active_score, spike, spike_score)
        curvature = (spike_score - slab_score).square_().mul_(slab).neg_()
        curvature = curvature.add_(prior.width**-2 - prior.scale**-2).mul_(spike).add_(prior.scale**-2)
        squares = y * y
        return Evaluation(density, score, curvature, squares, Moments.of(spike, y, squares), spike)

    def updated(self, result: Evaluation, y: torch.Tensor, bounds: WidthBounds) -> "DependentPrior":
        """An EM step: weighted moments for the spikes, and for each slab a weighted regression on its predecessors.

        The regression of slab ``i`` has the normal matrix ``Cov_i(d_j, d_k)`` with ``d = y - c``, where every
        sample is weighted by the probability that ``i`` is active. These would be n different matrices. Here they
        have their own diagonals but share one correlation matrix, so that one Cholesky factor solves all of them.
        The approximation may lower the likelihood; a climb undoes such a step.
        """
        spikes = m_step(result.moments, bounds)
        samples = y.shape[-1]
        deviation, active = y - spikes.centre, 1 - result.spike
        weights = active / active.sum(-1, keepdim=True).clamp_min(1e-3 * samples)
        first = weights @ deviation.mT
        spread = (weights @ deviation.square().mT - first.square()).clamp_min(1e-8).sqrt()
        mean = torch.linalg.vecdot(weights, y)[..., None]
        product = (weights * (y - mean)) @ deviation.mT
        standard = deviation - deviation.mean(-1, keepdim=True)
        standard = standard / standard.square().mean(-1, keepdim=True).sqrt().clamp_min(1e-4)
        correlation = standard @ standard.mT / samples
        correlation = correlation + RIDGE * torch.eye(y.shape[-2], dtype=y.dtype, device=y.device)
        factor = torch.linalg.cholesky(correlation)
        target = torch.linalg.solve_triangular(factor, (product / spread).mT, upper=False)
        solution = torch.linalg.solve_triangular(factor.mT, torch.triu(target, 1), upper=True)
        dependence = torch.tril(solution.mT / spread, -1)
        square = torch.linalg.vecdot(weights, (y - mean).square())
        slab_variance = (square - (dependence * product).sum(-1)).clamp_min(1e-8)
        mean = mean - (dependence * first).sum(-1, keepdim=True)
        return DependentPrior(_tied(spikes, mean, slab_variance, result.moments, bounds), dependence)


def _tied(
    spikes: SpikeSlabPrior,
    mean: torch.Tensor,
    slab_variance: torch.Tensor,
    moments: Moments,
    bounds: WidthBounds,
) -> SpikeSlabPrior:
    """``spikes`` with the new means and variances of the slabs, and with widths within ``bounds``."""
    weight, centre = spikes.weight[..., 0], spikes.centre[..., 0]
    spike_variance = (moments.spike_y2 / weight - centre**2).clamp_min(1e-12)
    width, scale = bounds.tied(spike_variance, slab_variance, weight)
    return replace(spikes, mean=mean, width=width.unsqueeze(-1), scale=scale.unsqueeze(-1))
