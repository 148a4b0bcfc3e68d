"""Invertible layers: ``forward(x)`` gives ``y`` and ``log |det dy/dx|`` of every sample, ``inverse(y)`` gives ``x``.

All of them are piecewise affine wherever their conditioners are, except for the coupling's scale.
"""

import torch
from torch import nn

HIDDEN_SLOPE = 0.1
"""Slope below zero of the leaky ReLUs inside the couplings."""


class Dense(nn.Module):
    """``y = weight x + bias`` with a full (dim, dim) matrix."""

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight.clone(memory_format=torch.contiguous_format))
        self.bias = nn.Parameter(torch.zeros(len(weight), dtype=weight.dtype))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = torch.addmm(self.bias, x, self.weight.T)
        return y, torch.linalg.slogdet(self.weight).logabsdet.expand(len(x))

    def inverse(self, y: torch.Tensor) -> torch.Tensor:
        return torch.linalg.solve(self.weight, (y - self.bias).T).T


class Coupling(nn.Module):
    """The first half ``u`` of the coordinates moves the rest: ``v <- v exp(tanh(a(u))) + b(u)``.

    ``(a, b)`` is a leaky-ReLU network whose last layer starts at zero, so that the layer starts as the
    identity. Dinh, Sohl-Dickstein and Bengio, "Density estimation using Real NVP" (2017).
    """

    def __init__(self, dim: int, width: int) -> None:
        super().__init__()
        self._fixed = max(1, dim // 2)
        moved = dim - self._fixed
        self.network = nn.Sequential(
            nn.Linear(self._fixed, width),
            nn.LeakyReLU(HIDDEN_SLOPE),
            nn.Linear(width, width),
            nn.LeakyReLU(HIDDEN_SLOPE),
            nn.Linear(width, 2 * moved),
        )
        nn.init.zeros_(self.network[-1].weight)
        nn.init.zeros_(self.network[-1].bias)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        u, v = x[:, : self._fixed], x[:, self._fixed :]
        log_scale, shift = self._conditioned(u)
        return torch.cat([u, torch.addcmul(shift, v, log_scale.exp())], dim=1), log_scale.sum(dim=1)

    def inverse(self, y: torch.Tensor) -> torch.Tensor:
        u, v = y[:, : self._fixed], y[:, self._fixed :]
        log_scale, shift = self._conditioned(u)
        return torch.cat([u, (v - shift) * torch.exp(-log_scale)], dim=1)

    def _conditioned(self, u: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        log_scale, shift = self.network(u).chunk(2, dim=1)
        return torch.tanh(log_scale), shift


class LeakySlope(nn.Module):
    """``y = x`` above zero and ``y = exp(log_slope) x`` below, with one slope a coordinate; starts as identity."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.log_slope = nn.Parameter(torch.zeros(dim))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        below = (x < 0).to(x.dtype)
        return x * (1 + below * torch.expm1(self.log_slope)), below @ self.log_slope

    def inverse(self, y: torch.Tensor) -> torch.Tensor:
        return torch.where(y < 0, y * torch.exp(-self.log_slope), y)
