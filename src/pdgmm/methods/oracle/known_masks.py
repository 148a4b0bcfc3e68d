"""What known masks say about the latents: directions, moments, and a density as a torch module."""

import math
from typing import NamedTuple

import numpy as np
import torch
from scipy.linalg import eigh
from torch import nn

from pdgmm.errors import FitFailed

LOG_2PI = math.log(2 * math.pi)

LARGEST_CONDITION = 1e6
"""The largest condition number of all directions together; beyond it, two of them are the same."""

WIDEST = 0.3
"""Largest width of a masked latent, in standard deviations of the active one."""


def masked_directions(white: np.ndarray, active: np.ndarray) -> np.ndarray:
    """For each latent, the direction along which the samples that mask it vary least; rows of (n, n).

    ``white`` (samples, n) has the identity as covariance; ``active`` (samples, n) says which latents are active in
    a sample. Row i minimises ``w C_i w^T / w w^T``, where C_i is the covariance of the samples that mask latent i:
    it is the eigenvector of the smallest eigenvalue. If white samples are an affine function of the latents and
    Assumption 3.8b holds, that eigenvalue is 0 and single, and ``w white`` is latent i up to scale and a constant.
    Latents that are always active together share the eigenvectors of the smallest eigenvalues: their block is
    found, but not the single latents in it.
    """
    samples, n = active.shape
    patterns, block_of = np.unique(active, axis=1, return_inverse=True)
    directions = np.empty((n, white.shape[1]))
    for block, on in enumerate(patterns.T):
        latents = np.flatnonzero(block_of == block)
        masked = white[~on]
        if not 2 * n <= len(masked) <= samples - 2 * n:
            raise FitFailed(
                "failed",
                f"latent {latents[0] + 1} is masked in {len(masked)} of {samples} samples: knowing the masks "
                "does not tell it from the others",
            )
        covariance = np.cov(masked, rowvar=False, dtype=np.float64)
        directions[latents] = eigh(covariance, subset_by_index=[0, len(latents) - 1])[1].T
    if np.linalg.cond(directions) > LARGEST_CONDITION:
        raise FitFailed("failed", "the masks do not tell some latents from others: no unmixing exists")
    return directions


class KnownMaskMoments(NamedTuple):
    """Per latent (n,): mean and standard deviation over the samples that mask it and over the others."""

    centre: np.ndarray
    width: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, code: np.ndarray, active: np.ndarray) -> "KnownMaskMoments":
        """The moments of ``code`` (samples, n); ``active`` (samples, n) says where a latent is active."""
        values = [
            (column[~on].mean(), column[~on].std(), column[on].mean(), column[on].std())
            for column, on in zip(code.T.astype(np.float64), active.T, strict=True)
        ]
        return cls(*np.array(values).T)

    def log_likelihood(self, code: np.ndarray, active: np.ndarray, narrowest: float) -> float:
        """Mean over the samples of ``sum_i log N(code_i; …)``, with the latents taken as independent.

        Masked latents are at least ``narrowest`` times as wide as active ones: on noiseless samples their
        density would grow without bound.
        """
        width = np.maximum(self.width, narrowest * self.scale)
        mean, deviation = np.where(active, self.mean, self.centre), np.where(active, self.scale, width)
        densities = -0.5 * ((code - mean) / deviation) ** 2 - np.log(deviation) - 0.5 * LOG_2PI
        return float(densities.sum(axis=1).mean())


class KnownMaskPrior(nn.Module):
    """``p(y | component) = N(y_A; m_A, S_AA) prod_{i not in A} N(y_i; c_i, e_i^2)``, A the active latents.

    All components share one mean m and one covariance S: a component takes its active latents from one Gaussian.
    ``masks`` is (J, n). The further coordinates, ``residuals``, are centred normals. They are the directions across
    the surface on which the observations lie, if there are more observed than latent dimensions.
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
        """S (n, n) as ``L L^T``, where L is lower triangular with a positive diagonal."""
        factor = torch.tril(self.below, -1) + torch.diag(self.log_diagonal.exp())
        return factor @ factor.T

    def log_density(self, y: torch.Tensor, component: torch.Tensor, narrowest: float) -> torch.Tensor:
        """``log p(y | component)`` (samples,) of ``y`` (samples, n + residuals).

        The width of a masked latent is at least ``narrowest`` standard deviations of the active one.
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
