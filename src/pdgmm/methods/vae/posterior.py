"""The encoder's distribution of a code: a Gaussian with independent coordinates."""

import math
from typing import NamedTuple

import torch

LOG_2PI = math.log(2 * math.pi)


class Posterior(NamedTuple):
    """``q(z | x) = N(z; mean, diag exp(log_variance))``, both (samples, latents)."""

    mean: torch.Tensor
    log_variance: torch.Tensor

    def draw(self) -> torch.Tensor:
        """One ``z`` per sample, (samples, latents), as a differentiable function of mean and variance."""
        return self.mean + torch.exp(0.5 * self.log_variance) * torch.randn_like(self.mean)

    def entropy(self) -> torch.Tensor:
        """``-E log q(z | x) = 1/2 sum_d [1 + log 2 pi + log variance_d]`` (samples,)."""
        return 0.5 * (1 + LOG_2PI + self.log_variance).sum(dim=1)

    def log_density(self, z: torch.Tensor) -> torch.Tensor:
        """``log q(z | x)`` (samples,) of one code per sample."""
        squares = (z - self.mean).square() * torch.exp(-self.log_variance)
        return -0.5 * (squares + LOG_2PI + self.log_variance).sum(dim=1)
