"""A Gaussian mixture with full covariances as the prior of a flow: refreshed by EM, not by gradients."""

import torch
from torch import nn

from pdgmm.fitting.gaussian_mixtures import Mixture, fit_mixture

BATCH = 10_000
"""Samples whose components are computed at a time."""


class FullMixture(nn.Module):
    """``p(y) = sum_j w_j N(y; m_j, C_j)`` of the latents, and centred normals for the coordinates beyond them."""

    def __init__(self, mixture: Mixture, residual_variance: torch.Tensor) -> None:
        super().__init__()
        self.latents = mixture.means.shape[1]
        for name, value in mixture._asdict().items():
            self.register_buffer(name, value.clone())
        self.register_buffer("residual_variance", residual_variance.clone())

    @classmethod
    def fitted(cls, code: torch.Tensor, latents: int, components: int, seed: int) -> "FullMixture":
        """Fitted to the first ``latents`` coordinates of ``code`` by EM, see :func:`.fit_mixture`."""
        return cls(fit_mixture(code[:, :latents], components, seed), code[:, latents:].square().mean(0))

    def of_components(self, chosen: torch.Tensor) -> "FullMixture":
        """The mixture of the ``chosen`` components (their numbers) alone."""
        weights = self.weights[chosen]
        mixture = Mixture(weights / weights.sum(), self.means[chosen], self.covariances[chosen])
        return FullMixture(mixture, self.residual_variance)

    @torch.no_grad()
    def likeliest(self, samples: torch.Tensor) -> torch.Tensor:
        """The most likely component (samples,) of each of ``samples`` (samples, dim), which may be on any device."""
        batches = samples[:, : self.latents].split(BATCH)
        return torch.cat([self._mixture.joint(batch.to(self.weights)).argmax(1).cpu() for batch in batches])

    @torch.no_grad()
    def refresh(self, code: torch.Tensor) -> None:
        """An EM step on ``code`` (samples, dim)."""
        for name, value in self._mixture.updated(code[:, : self.latents])._asdict().items():
            getattr(self, name).copy_(value)
        self.residual_variance.copy_(code[:, self.latents :].square().mean(0))

    def log_density(self, y: torch.Tensor, narrowest: float = 0.0) -> torch.Tensor:
        """``log p(y)`` (samples,) of ``y`` (samples, latents + residuals); there are no spikes to be narrow."""
        residual = y[:, self.latents :]
        across = residual**2 / self.residual_variance + torch.log(2 * torch.pi * self.residual_variance)
        return self._mixture.log_density(y[:, : self.latents]) - 0.5 * across.sum(1)

    @property
    def _mixture(self) -> Mixture:
        return Mixture(self.weights, self.means, self.covariances)
