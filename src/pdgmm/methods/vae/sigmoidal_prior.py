"""A prior whose latents are monotone functions of normal ones, with functions of their own for every ``u``."""

import torch
from torch import nn
from torch.nn.functional import logsigmoid, softplus

from pdgmm.fitting.learners import Metrics
from pdgmm.methods.vae.posterior import LOG_2PI, Posterior
from pdgmm.methods.vae.priors import Prior

BRACKET, HALVINGS = 100.0, 40
"""Draws lie within this many scales of the mean; each halving of the interval gains one binary digit."""

START = 0.5413
"""softplus(START) = 1."""


class SigmoidalPrior(Prior):
    """``e_i = F_ui(z_i) ~ N(0, 1)`` for a deep sigmoidal flow F (Huang et al., 2018), separate for every i and u.

    Each layer maps ``t -> logit(sum_j w_j sigmoid(a_j t + b_j))`` with ``a_j > 0`` and weights w that add up to 1;
    the first layer gets ``t = (z - m) / s``. All parameters are tables with a row for every value of u, which is all
    that a network of a category can be: ``means`` and ``log_scales`` (classes, latents), the others (layers, classes,
    latents, units). The flow starts close to the identity.
    """

    def __init__(self, latents: int, classes: int, layers: int = 2, units: int = 8) -> None:
        super().__init__()
        shape = (layers, classes, latents, units)
        self.means = nn.Parameter(0.1 * torch.randn(classes, latents))
        self.log_scales = nn.Parameter(0.1 * torch.randn(classes, latents))
        self.slopes = nn.Parameter(START + 0.1 * torch.randn(shape))
        self.shifts = nn.Parameter(0.1 * torch.randn(shape))
        self.logits = nn.Parameter(torch.zeros(shape))

    def to_normal(self, z: torch.Tensor, u: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``e = F_u(z)`` and ``log de/dz``, both (samples, latents)."""
        t = (z - self.means[u]) * torch.exp(-self.log_scales[u])
        log_slope = -self.log_scales[u]
        for slopes, shifts, logits in zip(self.slopes, self.shifts, self.logits, strict=True):
            slope, log_weight = softplus(slopes)[u], torch.log_softmax(logits, dim=-1)[u]
            inside = slope * t[..., None] + shifts[u]
            below, above = logsigmoid(inside), logsigmoid(-inside)
            log_p = torch.logsumexp(log_weight + below, dim=-1)
            log_q = torch.logsumexp(log_weight + above, dim=-1)
            # d logit(p) / dt = sum_j w_j a_j sigmoid'(.) / (p (1 - p)), with everything in logarithms.
            rise = torch.logsumexp(log_weight + slope.log() + below + above, dim=-1)
            log_slope = log_slope + rise - log_p - log_q
            t = log_p - log_q
        return t, log_slope

    def log_density(self, z: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        """``log p(z | u) = sum_i [log N(e_i; 0, 1) + log de_i/dz_i]`` (samples,)."""
        normal, log_slope = self.to_normal(z, u)
        return (log_slope - 0.5 * (normal.square() + LOG_2PI)).sum(dim=1)

    def draw(self, u: torch.Tensor) -> torch.Tensor:
        """``F_u^-1(e)`` of normal draws e, by bisection: F increases."""
        normal = torch.randn(len(u), self.means.shape[1], device=u.device)
        reach = BRACKET * self.log_scales[u].exp()
        low, high = self.means[u] - reach, self.means[u] + reach
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            below = self.to_normal(middle, u)[0] < normal
            low, high = torch.where(below, middle, low), torch.where(below, high, middle)
        return (low + high) / 2

    def divergence(
        self, posterior: Posterior, z: torch.Tensor, u: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, Metrics]:
        """``-entropy(q) - log p(z | u)`` at the draws: an unbiased estimate of the divergence."""
        return -posterior.entropy() - self.log_density(z, u), {}
