"""Penalties on decoders: of their Jacobian, and of their second differences."""

import torch
from torch import nn

from pdgmm.fitting.decoder_jacobian import layers_jacobian

STEP = 0.1
"""Distance of the second differences."""

FLOOR = 0.05
"""Derivatives, in standard deviations, below which the logarithm of :func:`log_sum` is nearly flat."""


def mean_absolute(decoder: nn.Sequential, z: torch.Tensor) -> torch.Tensor:
    """``mean_n sum_ij |J_ij(z_n)|`` at codes ``z`` (samples, d)."""
    return layers_jacobian(decoder, z)[1].abs().sum(dim=(1, 2)).mean()


def column_products(decoder: nn.Sequential, z: torch.Tensor) -> torch.Tensor:
    """``mean_n sum_{j != k} (J_j . J_k)^2`` over the columns of ``J(z_n)``."""
    jacobian = layers_jacobian(decoder, z)[1]
    squares = (jacobian.mT @ jacobian).square()
    return (squares.sum(dim=(1, 2)) - squares.diagonal(dim1=1, dim2=2).sum(dim=1)).mean()


def second_differences(decoder: nn.Sequential, z: torch.Tensor, directions: int = 2) -> torch.Tensor:
    """The largest variance, over samples and outputs, of ``[g(z + e v) - 2 g(z) + g(z - e v)] / e^2``.

    The variance is over ``directions`` random signs v. If g is quadratic, its expectation is twice the sum of the
    squares of the Hessian's entries off the diagonal.
    """
    signs = 2.0 * torch.randint(2, (directions, *z.shape), device=z.device).to(z) - 1
    moved = decoder(z + STEP * signs) + decoder(z - STEP * signs)
    return ((moved - 2 * decoder(z)) / STEP**2).var(dim=0).max()


def scaled_jacobian(decoder: nn.Sequential, z: torch.Tensor) -> torch.Tensor:
    """``sqrt(E J_ij^2) sd(z_j)`` (m, d): with standardised outputs, derivatives in standard deviations."""
    jacobian = layers_jacobian(decoder, z)[1]
    # The small number keeps the gradient of the root finite at zero.
    return (jacobian.square().mean(dim=0) * z.var(dim=0) + 1e-8).sqrt()


def log_sum(scaled: torch.Tensor) -> torch.Tensor:
    """``sum_ij log(S_ij + FLOOR)`` over the last two dimensions: nearly the number of entries that are not zero."""
    return torch.log(scaled + FLOOR).sum(dim=(-2, -1))
