"""Densities of many Gaussians at once, and the EM step of a mixture of them."""

import math
from typing import NamedTuple

import torch

PRIOR_SAMPLES = 2
"""Every component gets this many extra samples per dimension, with the pooled covariance of all components.

This keeps components with few samples from collapsing.
"""

EMPTY = 1e-6
"""The smallest weight of a component."""

EM_STEPS = 30
"""EM steps after a clustering by k-means."""


def gaussian_log_densities(y: torch.Tensor, means: torch.Tensor, covariances: torch.Tensor) -> torch.Tensor:
    """Log-densities (samples, count) of ``y`` (samples, n) under many Gaussians.

    ``means`` is (count, n), ``covariances`` (count, n, n). A log-density is linear in the products ``y_i y_j`` and in
    ``y``, so two matrix products give all of them.
    """
    n = y.shape[1]
    factor = torch.linalg.cholesky(covariances)
    precision = torch.cholesky_inverse(factor)
    linear = (precision @ means[:, :, None])[:, :, 0]
    log_det = torch.diagonal(factor, dim1=1, dim2=2).log().sum(1)
    constant = -log_det - 0.5 * (means * linear).sum(1) - 0.5 * n * math.log(2 * math.pi)
    products = (y[:, :, None] * y[:, None, :]).flatten(1)
    return torch.addmm(constant + y @ linear.T, products, precision.flatten(1).T, alpha=-0.5)


class Mixture(NamedTuple):
    """Weights (count,), means (count, n) and covariances (count, n, n) of a Gaussian mixture."""

    weights: torch.Tensor
    means: torch.Tensor
    covariances: torch.Tensor

    def log_density(self, y: torch.Tensor) -> torch.Tensor:
        """``log p(y)`` (samples,) of ``y`` (samples, n)."""
        return torch.logsumexp(self.joint(y), dim=1)

    def updated(self, y: torch.Tensor) -> "Mixture":
        """The mixture after an EM step on ``y`` (samples, n)."""
        return fitted_components(y, torch.softmax(self.joint(y), dim=1))

    def joint(self, y: torch.Tensor) -> torch.Tensor:
        """``log w_j N(y; m_j, C_j)`` (samples, count) of ``y`` (samples, n)."""
        return self.weights.log() + gaussian_log_densities(y, self.means, self.covariances)


def fitted_components(y: torch.Tensor, responsibility: torch.Tensor) -> Mixture:
    """The mixture whose components have these responsibilities (samples, count) for the samples ``y`` (samples, n).

    Covariances are shrunk towards the pooled one, see :data:`PRIOR_SAMPLES`.
    """
    n = y.shape[1]
    counts = responsibility.sum(0).clamp_min(EMPTY * len(y))
    means = responsibility.T @ y / counts[:, None]
    products = (y[:, :, None] * y[:, None, :]).flatten(1)
    second = (responsibility.T @ products).view(-1, n, n)
    scatter = second - counts[:, None, None] * means[:, :, None] * means[:, None, :]
    pooled = scatter.sum(0) / len(y)
    extra = PRIOR_SAMPLES * n
    covariances = (scatter + extra * pooled) / (counts + extra)[:, None, None]
    return Mixture(counts / counts.sum(), means, covariances)


def fit_mixture(y: torch.Tensor, components: int, seed: int) -> Mixture:
    """The mixture of ``components`` Gaussians that EM finds in ``y`` (samples, n), started from k-means."""
    from sklearn.cluster import MiniBatchKMeans

    clusters = MiniBatchKMeans(components, n_init=3, random_state=seed % 2**32).fit_predict(y.cpu().numpy())
    member = torch.nn.functional.one_hot(torch.from_numpy(clusters).long(), components).to(y)
    mixture = fitted_components(y, member)
    for _ in range(EM_STEPS):
        mixture = mixture.updated(y)
    return mixture
