"""The density of :mod:`pdgmm.methods.spike_slab.dependent_prior` as a torch module, for gradient training."""

import torch
from torch import nn
from torch.nn.functional import logsigmoid

from pdgmm.methods.spike_slab.blocks import log_density_in_blocks
from pdgmm.methods.spike_slab.dependent_prior import DependentPrior
from pdgmm.methods.spike_slab.spike_slab_prior import LOG_2PI, SpikeSlabPrior

WIDEST_SPIKE = 0.3
"""Largest width of a spike in slab scales."""


class JointSlabPrior(nn.Module):
    """Dependent spikes and slabs for ``latents`` coordinates, and centred normals for ``residuals`` further ones.

    The residuals are the directions across the surface on which the observations lie, if there are more observed
    than latent dimensions. Latents of one block rest together, see :mod:`.blocks`. With separate spikes, a flow
    would bend a block until its latents seem to rest one by one.
    """

    def __init__(self, latents: int, residuals: int = 0) -> None:
        super().__init__()
        self.latents = latents
        self.log_odds = nn.Parameter(torch.zeros(latents))
        self.centre = nn.Parameter(torch.zeros(latents))
        self.width_logit = nn.Parameter(torch.full((latents,), -3.0))
        self.mean = nn.Parameter(torch.zeros(latents))
        self.log_scale = nn.Parameter(torch.zeros(latents))
        self.dependence = nn.Parameter(torch.zeros(latents, latents))
        self.residual_log_scale = nn.Parameter(torch.zeros(residuals))
        self.register_buffer("membership", torch.eye(latents))

    @property
    def has_blocks(self) -> bool:
        """Whether some latents rest together."""
        return bool((self.membership.sum(1) > 1).any())

    @torch.no_grad()
    def start_as(self, prior: DependentPrior, membership: torch.Tensor) -> None:
        """Copy all parameters of ``prior`` except the widths, and set the blocks (n, n) of :func:`.blocks_of`."""
        self.membership.copy_(membership)
        spikes = prior.spikes
        self.log_odds.copy_(torch.logit(spikes.weight[:, 0].clamp(0.01, 0.99)))
        self.centre.copy_(spikes.centre[:, 0])
        self.mean.copy_(spikes.mean[:, 0])
        self.log_scale.copy_(torch.log(spikes.scale[:, 0]))
        self.dependence.copy_(prior.dependence)

    @torch.no_grad()
    def independent(self) -> SpikeSlabPrior:
        """The parameters without the dependence between slabs, each (n, 1), with the largest allowed width."""
        scale = self.log_scale.exp()
        values = (torch.sigmoid(self.log_odds), self.centre, WIDEST_SPIKE * scale, self.mean, scale)
        return SpikeSlabPrior(*(value.detach()[:, None] for value in values))

    def widths(self, narrowest: float | torch.Tensor) -> torch.Tensor:
        """Widths of the spikes (n,): between ``narrowest`` and :data:`WIDEST_SPIKE` slab scales."""
        room = max(0.0, WIDEST_SPIKE - float(narrowest))
        return (narrowest + room * torch.sigmoid(self.width_logit)) * self.log_scale.exp()

    def log_density(self, y: torch.Tensor, narrowest: float) -> torch.Tensor:
        """``log p(y)`` (samples,) of ``y`` (samples, latents + residuals)."""
        latent, residual = y[:, : self.latents], y[:, self.latents :]
        deviation = latent - self.centre
        expected = torch.addmm(self.mean, deviation, torch.tril(self.dependence, -1).T)
        width = self.widths(narrowest)
        spike = 0.5 * (deviation / width) ** 2
        slab = 0.5 * ((latent - expected) * torch.exp(-self.log_scale)) ** 2
        if self.has_blocks:
            spike, slab = -torch.log(width) - spike, -self.log_scale - slab
            total = log_density_in_blocks(spike, slab, self.log_odds, self.membership)
        else:
            spike = logsigmoid(self.log_odds) - torch.log(width) - spike
            slab = logsigmoid(-self.log_odds) - self.log_scale - slab
            total = torch.logaddexp(spike, slab).sum(dim=1)
        if residual.shape[1]:
            standard = residual * torch.exp(-self.residual_log_scale)
            total = total - (self.residual_log_scale + 0.5 * standard**2).sum(dim=1)
        return total - 0.5 * LOG_2PI * y.shape[1]
