"""The mixture of :mod:`pdgmm.methods.spike_slab.patterns` as a torch module, for gradient training."""

import math

import torch
from torch import nn

from pdgmm.methods.spike_slab.joint_slab import WIDEST_SPIKE
from pdgmm.methods.spike_slab.patterns import Supports, pattern_log_densities


class PatternMixture(nn.Module):
    """A weight for every pattern of active latents, one Gaussian that all patterns mask, and the spikes.

    The further coordinates, ``residuals``, are centred normals, as in :class:`.JointSlabPrior`.
    """

    def __init__(self, supports: Supports, centre: torch.Tensor, residual_log_scale: torch.Tensor) -> None:
        super().__init__()
        self.latents = len(centre)
        self.register_buffer("active", supports.active.clone())
        self.log_weights = nn.Parameter(supports.weights.log())
        self.centre = nn.Parameter(centre.clone())
        self.mean = nn.Parameter(supports.mean.clone())
        self.factor = nn.Parameter(torch.linalg.cholesky(supports.covariance))
        self.width_logit = nn.Parameter(torch.full_like(centre, -3.0))
        self.residual_log_scale = nn.Parameter(residual_log_scale.clone())

    @property
    def covariance(self) -> torch.Tensor:
        """The covariance (n, n) of the latents when all of them are active."""
        factor = torch.tril(self.factor)
        return factor @ factor.T + 1e-6 * torch.eye(self.latents, device=factor.device)

    def log_density(self, y: torch.Tensor, narrowest: float) -> torch.Tensor:
        """``log p(y)`` (samples,) of ``y`` (samples, latents + residuals)."""
        covariance, u = self.covariance, y[:, : self.latents] - self.centre
        share = narrowest + max(0.0, WIDEST_SPIKE - narrowest) * torch.sigmoid(self.width_logit)
        width = share * torch.diagonal(covariance).sqrt()
        densities = pattern_log_densities(u, self.active, self.mean, covariance, width)
        total = torch.logsumexp(torch.log_softmax(self.log_weights, 0) + densities, dim=1)
        standard = y[:, self.latents :] * torch.exp(-self.residual_log_scale)
        across = self.residual_log_scale + 0.5 * (standard**2 + math.log(2 * math.pi))
        return total - across.sum(dim=1)
