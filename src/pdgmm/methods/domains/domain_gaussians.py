"""Independent Gaussian latents with moments of their own in every domain, in closed form."""

import math
from typing import NamedTuple

import torch
from torch.nn.functional import one_hot

LOG_2PI = math.log(2 * math.pi)

FEWEST_ROWS = 4
"""Domains with fewer rows in a batch are left out of its likelihood."""

SMALLEST_VARIANCE = 1e-10


class DomainGaussians(NamedTuple):
    """``means`` and ``variances`` (U, n) of the latents in every domain, ``residual`` (dim - n,) variances beyond.

    Coordinates beyond the latents are centred, with the same variance in all domains.
    """

    means: torch.Tensor
    variances: torch.Tensor
    residual: torch.Tensor

    def log_density(self, y: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        """``log p(y | u)`` (samples,) of codes ``y`` (samples, dim)."""
        n = self.means.shape[1]
        inside = (y[:, :n] - self.means[u]).square() / self.variances[u] + self.variances[u].log() + LOG_2PI
        beyond = y[:, n:].square() / self.residual + self.residual.log() + LOG_2PI
        return -0.5 * (inside.sum(dim=1) + beyond.sum(dim=1))


def fitted_gaussians(y: torch.Tensor, u: torch.Tensor, domains: int, n: int) -> DomainGaussians:
    """The maximum of the likelihood of codes ``y`` (samples, dim) over all moments."""
    member = one_hot(u, domains).to(y)
    share = (member / member.sum(dim=0).clamp(min=1)).T
    means = share @ y[:, :n]
    variances = share @ (y[:, :n] - means[u]).square()
    return DomainGaussians(
        means,
        variances.clamp(min=SMALLEST_VARIANCE),
        y[:, n:].square().mean(dim=0).clamp(min=SMALLEST_VARIANCE),
    )


def profile_log_likelihood(y: torch.Tensor, u: torch.Tensor, domains: int, n: int) -> torch.Tensor:
    """The mean of ``log p(y | u)`` under the moments of this very batch, up to a constant.

    ``-1/2 [sum_u p_u sum_i log var_u(y_i) + sum_j log mean y_j^2]``, i over latents and j beyond them. Domains with
    hardly any rows in the batch are left out.
    """
    fitted = fitted_gaussians(y, u, domains, n)
    counts = torch.bincount(u, minlength=domains).to(y)
    shares = torch.where(counts >= FEWEST_ROWS, counts, 0.0)
    shares = shares / shares.sum().clamp(min=1)
    return -0.5 * (shares @ fitted.variances.log().sum(dim=1) + fitted.residual.log().sum())
