"""The distribution of an observation given a decoder's output: ``p(x | z)``.

A likelihood is built from JSON values (:func:`make_likelihood`), so that a saved network can be rebuilt.
"""

import math
from abc import abstractmethod
from typing import Any

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from pdgmm.methods.vae.posterior import LOG_2PI


class Likelihood(nn.Module):
    """``p(x | h)`` for the output ``h`` (samples, x_dim) of a decoder's last affine layer."""

    @abstractmethod
    def mean(self, output: torch.Tensor) -> torch.Tensor:
        """``E x`` (samples, x_dim)."""

    @abstractmethod
    def loss(self, output: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """``-log p(x | h)`` (samples,)."""


class GaussianLikelihood(Likelihood):
    """``N(x; h, variance I)``, or ``N(x; sigmoid(h), variance I)`` if ``squashed``.

    With ``learned`` the variance is a parameter that starts at ``variance``.
    """

    def __init__(self, variance: float = 0.01, *, squashed: bool = False, learned: bool = False) -> None:
        super().__init__()
        self.variance, self.squashed = variance, squashed
        self.log_variance = nn.Parameter(torch.tensor(math.log(variance))) if learned else None

    def mean(self, output: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(output) if self.squashed else output

    def loss(self, output: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        squares = (self.mean(output) - x).square()
        if self.log_variance is None:
            return 0.5 * (squares / self.variance + LOG_2PI + math.log(self.variance)).sum(dim=1)
        return 0.5 * (squares * torch.exp(-self.log_variance) + LOG_2PI + self.log_variance).sum(dim=1)


class BernoulliLikelihood(Likelihood):
    """``prod_i s_i^x_i (1 - s_i)^(1 - x_i)`` with ``s = sigmoid(h)``, for x in [0, 1].

    Grey values between 0 and 1 are used as they are. The value is then not a log probability, but its maximum is
    still at ``s = x``.
    """

    def mean(self, output: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(output)

    def loss(self, output: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return binary_cross_entropy_with_logits(output, x, reduction="none").sum(dim=1)


LIKELIHOODS: dict[str, type[Likelihood]] = {"gaussian": GaussianLikelihood, "bernoulli": BernoulliLikelihood}


def make_likelihood(kind: str, **arguments: Any) -> Likelihood:
    """The likelihood called ``kind``: ``make_likelihood("gaussian", variance=0.1)``."""
    return LIKELIHOODS[kind](**arguments)
