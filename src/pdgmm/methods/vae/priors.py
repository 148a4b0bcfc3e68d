"""Priors of codes. All priors have the same method ``divergence``, so one bound works for all.

A prior is built from JSON values (:func:`make_prior`), so that a saved network can be rebuilt.
"""

from abc import abstractmethod
from typing import Any

import torch
from torch import nn

from pdgmm.fitting.learners import Metrics
from pdgmm.methods.vae.posterior import Posterior


class Prior(nn.Module):
    """``p(z)``, or ``p(z | u)`` if the side variable ``u`` is seen."""

    @abstractmethod
    def divergence(
        self, posterior: Posterior, z: torch.Tensor, u: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, Metrics]:
        """``KL(q(z | x) || p(z))`` (samples,), or an unbiased estimate at the draws ``z``, and scalars to record."""

    def draw(self, u: torch.Tensor) -> torch.Tensor:
        """Latents (samples, n) from ``p(z | u)``, one for every ``u`` (samples,)."""
        raise NotImplementedError(f"a {type(self).__name__} cannot be drawn from")


class NormalPrior(Prior):
    """``N(z; 0, I)``. The divergence is ``1/2 sum_d [variance_d + mean_d^2 - 1 - log variance_d]``."""

    def __init__(self, latents: int) -> None:
        super().__init__()
        self.latents = latents

    def draw(self, u: torch.Tensor) -> torch.Tensor:
        return torch.randn(len(u), self.latents, device=u.device)

    def divergence(
        self, posterior: Posterior, z: torch.Tensor, u: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, Metrics]:
        mean, log_variance = posterior
        return 0.5 * (log_variance.exp() + mean.square() - 1 - log_variance).sum(dim=1), {}


class ConditionalPrior(Prior):
    """``N(z; mu_u, diag s_u)`` with a row of ``means`` and of ``log_variances`` (classes, latents) for every ``u``.

    The prior of the identifiable VAE (Khemakhem et al., 2020): with enough classes whose variances differ, the code
    is identified up to permutation and scaling of its coordinates. ``learned_means=False`` keeps all means at 0.
    The rows start as small random numbers (Xavier), so that all classes start differently.
    """

    def __init__(self, latents: int, classes: int, *, learned_means: bool = True) -> None:
        super().__init__()
        self.log_variances = nn.Parameter(nn.init.xavier_uniform_(torch.empty(classes, latents)))
        means = torch.zeros(classes, latents)
        if learned_means:
            self.means = nn.Parameter(nn.init.xavier_uniform_(means))
        else:
            self.register_buffer("means", means)

    def draw(self, u: torch.Tensor) -> torch.Tensor:
        means = self.means[u]
        return means + torch.exp(0.5 * self.log_variances[u]) * torch.randn_like(means)

    def divergence(
        self, posterior: Posterior, z: torch.Tensor, u: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, Metrics]:
        """``1/2 sum_d [log s_ud - log variance_d - 1 + (variance_d + (mean_d - mu_ud)^2) / s_ud]``."""
        mean, log_variance = posterior
        ours, about = self.log_variances[u], self.means[u]
        ratio = (log_variance.exp() + (mean - about).square()) * torch.exp(-ours)
        return 0.5 * (ours - log_variance - 1 + ratio).sum(dim=1), {}


def make_prior(kind: str, latents: int, **arguments: Any) -> Prior:
    """The prior called ``kind`` for codes of ``latents`` dimensions: ``make_prior("mixture", 2, components=3)``."""
    from pdgmm.methods.vae.mixture_priors import FacetPrior, MixturePrior
    from pdgmm.methods.vae.sigmoidal_prior import SigmoidalPrior

    kinds: dict[str, type[Prior]] = {
        "normal": NormalPrior,
        "conditional": ConditionalPrior,
        "mixture": MixturePrior,
        "facets": FacetPrior,
        "sigmoidal": SigmoidalPrior,
    }
    return kinds[kind](latents=latents, **arguments)
