"""The density of latents whose masks are known, as a torch module."""

import torch
from torch import nn

from pdgmm.methods.spike_slab.spike_slab_prior import LOG_2PI

WIDEST = 0.3
"""Largest width of a masked latent, in standard deviations of the active one."""


class KnownMaskPrior(nn.Module):
    """``p(y | component) = N(y_A; m_A, S_AA) prod_{i not in A} N(y_i; c_i, e_i^2)``, A the active latents.

    One mean m and one covariance S for all components: the active latents of a component are those latents of
    one Gaussian. ``masks`` is (J, n). The ``residuals`` further coordinates are centred normals: directions
    across the surface that the observations lie on, where there are more observed than latent dimensions.
    """

    def __init__(self, masks: torch.Tensor, residuals: int = 0) -> None:
        super().__init__()
        self.latents = masks.shape[1]
        self.register_buffer("masks", masks.float())
        self.centre = nn.Parameter(torch.zeros(self.latents))
        self.width_logit = nn.Parameter(torch.full((self.latents,), -3.0))
        self.mean = nn.Parameter(torch.zeros(self.latents))
        self.log_diagonal = nn.Parameter(torch.zeros(self.latents))
        self.below = nn.Parameter(torch.zeros(self.latents, self.latents))
        self.residual_log_scale = nn.Parameter(torch.zeros(residuals))

    def covariance(self) -> torch.Tensor:
        """S (n, n) as ``L L^T``, L a lower matrix with a positive diagonal."""
        factor = torch.tril(self.below, -1) + torch.diag(self.log_diagonal.exp())
        return factor @ factor.T

    def log_density(self, y: torch.Tensor, component: torch.Tensor, narrowest: float) -> torch.Tensor:
        """``log p(y | component)`` (samples,) of ``y`` (samples, n + residuals).

        Masked latents are at least ``narrowest`` standard deviations of the active one wide.
        """
        latent, residual = y[:, : self.latents], y[:, self.latents :]
        active = self.masks[component]
        covariance = self.covariance()
        share = narrowest + max(0.0, WIDEST - narrowest) * torch.sigmoid(self.width_logit)
        width = share * covariance.diagonal().sqrt()
        masked = (1 - active) * (torch.log(width) + 0.5 * ((latent - self.centre) / width) ** 2)
        # Masked latents get unit variance and no covariance here, so that all factors have one shape.
        outer = self.masks[:, :, None] * self.masks[:, None, :]
        factor = torch.linalg.cholesky(covariance * outer + torch.diag_embed(1 - self.masks))
        one = torch.eye(self.latents, dtype=y.dtype, device=y.device)
        whitening = torch.linalg.solve_triangular(factor, one.expand_as(factor), upper=False)
        log_volume = torch.log(factor.diagonal(dim1=1, dim2=2)).sum(1)
        deviation = active * (latent - self.mean)
        standard = torch.bmm(whitening[component], deviation[:, :, None])[:, :, 0]
        total = log_volume[component] + 0.5 * standard.square().sum(1) + masked.sum(1)
        if residual.shape[1]:
            standard = residual * torch.exp(-self.residual_log_scale)
            total = total + (self.residual_log_scale + 0.5 * standard**2).sum(1)
        return -total - 0.5 * LOG_2PI * y.shape[1]
