"""Invertible layers, and a chain of them that starts as a given linear map.

``forward(x)`` gives ``y`` and ``log |det dy/dx|`` of every sample, ``inverse(y)`` gives ``x``. All layers are
piecewise affine, except for the scale of the couplings.
"""

import torch
from torch import nn

from pdgmm.models.chain_gradient import HIDDEN_SLOPE, ChainGradient


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
    """``y = x`` above zero and ``y = exp(log_slope) x`` below, with one slope per coordinate; starts as identity."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.log_slope = nn.Parameter(torch.zeros(dim))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        below = (x < 0).to(x.dtype)
        return x * (1 + below * torch.expm1(self.log_slope)), below @ self.log_slope

    def inverse(self, y: torch.Tensor) -> torch.Tensor:
        return torch.where(y < 0, y * torch.exp(-self.log_slope), y)


class CouplingFlow(nn.Module):
    """``blocks`` times [dense, coupling, leaky slope], then a dense layer.

    The dense layers start as random orthogonal matrices (they mix better than permutations), all other layers
    as the identity, and the last dense layer such that the whole flow starts as ``x -> start x``.
    """

    def __init__(self, dim: int, *, blocks: int, width: int) -> None:
        super().__init__()
        self.dim = dim
        # Arguments with which the same flow can be built again.
        self.settings = {"dim": dim, "blocks": blocks, "width": width}
        self.layers = nn.ModuleList()
        for _ in range(blocks):
            rotation = torch.linalg.qr(torch.randn(dim, dim)).Q
            self.layers.extend([Dense(rotation), Coupling(dim, width), LeakySlope(dim)])
        self.last = Dense(torch.eye(dim))

    @torch.no_grad()
    def start_as(self, linear: torch.Tensor, offset: torch.Tensor) -> None:
        """Make the flow equal to ``x -> linear x + offset``; only for a flow that has not been trained yet.

        If ``linear`` (n, n) and ``offset`` (n,) are a map of the first n coordinates, the others stay as they are.
        """
        linear, offset = self._widened(linear, offset)
        product = torch.eye(self.dim)
        for layer in self.layers:
            if isinstance(layer, Dense):
                product = layer.weight @ product
        self.last.weight.copy_(torch.linalg.solve(product.T, linear.T).T)
        self.last.bias.copy_(offset)

    @torch.no_grad()
    def append_affine(self, linear: torch.Tensor, offset: torch.Tensor) -> None:
        """Append ``y -> linear y + offset`` of the first coordinates to the flow, merged into its last layer."""
        linear, offset = self._widened(linear, offset)
        self.last.bias.copy_(linear @ self.last.bias + offset)
        self.last.weight.copy_(linear @ self.last.weight)

    def _widened(self, linear: torch.Tensor, offset: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The map of the first coordinates as a map of all coordinates."""
        n = len(offset)
        wide, shift = torch.eye(self.dim), torch.zeros(self.dim)
        wide[:n, :n], shift[:n] = linear, offset
        return wide.to(self.last.weight.device), shift.to(self.last.weight.device)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``y`` (samples, dim) and ``log |det dy/dx|`` (samples,)."""
        log_det = torch.zeros((), dtype=x.dtype, device=x.device)
        for layer in (*self.layers, self.last):
            x, change = layer(x)
            log_det = log_det + change
        return x, log_det

    def with_mean_log_det(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``y`` and the mean of ``log |det dy/dx|`` over the samples, with a fast gradient for the parameters."""
        return ChainGradient.apply(x, *self.parameters())

    def inverse(self, y: torch.Tensor) -> torch.Tensor:
        """The ``x`` with ``forward(x)[0] == y``."""
        for layer in (self.last, *reversed(self.layers)):
            y = layer.inverse(y)
        return y
