"""Jacobians of decoders, exact and differentiable, so that a training can penalise them."""

from collections.abc import Callable

import torch
from torch import nn

RIDGE = 1e-6
"""What is added to the diagonal of ``J^T J``, as a share of its mean, so that a lost direction gives no infinity."""


def layers_jacobian(network: nn.Sequential, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs ``x`` (samples, m) of ``network`` at ``z`` (samples, d), and ``J = dx/dz`` (samples, m, d).

    Forward mode: beside every layer's values go the derivatives along all d coordinates, so the cost is that of
    ``d + 1`` forward passes. The layers may be linear ones and the activations in :data:`SLOPES`; others raise
    ``TypeError``. At a kink the slope is the one that torch takes, that of the left side.
    """
    values = z
    # (samples, d, width); before the first activation, one row for all samples.
    tangents = torch.eye(z.shape[1], dtype=z.dtype, device=z.device)[None]
    for layer in network:
        if isinstance(layer, nn.Linear):
            values, tangents = layer(values), tangents @ layer.weight.T
        elif type(layer) in SLOPES:
            slopes = SLOPES[type(layer)](layer, values)
            values, tangents = layer(values), tangents * slopes[:, None, :]
        else:
            raise TypeError(f"the Jacobian of a {type(layer).__name__} is not known")
    return values, tangents.expand(len(z), -1, -1).mT


def log_det_gram(jacobian: torch.Tensor) -> torch.Tensor:
    """``log det(J^T J + ridge I)`` (samples,) of ``jacobian`` (samples, m, d), ``ridge = RIDGE tr(J^T J) / d``.

    Half of it is the log of the factor by which the decoder scales volumes.
    """
    gram = jacobian.mT @ jacobian
    ridge = RIDGE * gram.diagonal(dim1=-2, dim2=-1).mean(dim=-1)
    factor = torch.linalg.cholesky(gram + torch.diag_embed(ridge[:, None].expand(-1, gram.shape[-1])))
    return 2 * factor.diagonal(dim1=-2, dim2=-1).log().sum(dim=-1)


SLOPES: dict[type[nn.Module], Callable[[nn.Module, torch.Tensor], torch.Tensor]] = {
    nn.ReLU: lambda layer, h: (h > 0).to(h),
    nn.LeakyReLU: lambda layer, h: torch.where(h > 0, 1.0, layer.negative_slope).to(h),
    nn.Softplus: lambda layer, h: torch.sigmoid(layer.beta * h),
    nn.Tanh: lambda layer, h: 1 - torch.tanh(h).square(),
    nn.Sigmoid: lambda layer, h: torch.sigmoid(h) * torch.sigmoid(-h),
}
"""The derivative of every known activation, given the layer and its input."""
