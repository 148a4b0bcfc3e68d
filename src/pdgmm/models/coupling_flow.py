"""A chain of invertible layers that starts as a given linear map."""

import torch
from torch import nn

from pdgmm.models.chain_gradient import ChainGradient
from pdgmm.models.flow_layers import Coupling, Dense, LeakySlope


class CouplingFlow(nn.Module):
    """``blocks`` times [dense, coupling, leaky slope], then a dense layer.

    The dense layers start as random orthogonal matrices (they mix better than permutations), all other layers
    as the identity, and the last dense layer such that the whole flow starts as ``x -> start x``.
    """

    def __init__(self, dim: int, *, blocks: int, width: int) -> None:
        super().__init__()
        self.dim = dim
        self._settings = {"dim": dim, "blocks": blocks, "width": width}
        self.layers = nn.ModuleList()
        for _ in range(blocks):
            rotation = torch.linalg.qr(torch.randn(dim, dim)).Q
            self.layers.extend([Dense(rotation), Coupling(dim, width), LeakySlope(dim)])
        self.last = Dense(torch.eye(dim))

    def settings(self) -> dict[str, int]:
        """The arguments that build a flow of this shape."""
        return dict(self._settings)

    @torch.no_grad()
    def start_as(self, linear: torch.Tensor, offset: torch.Tensor) -> None:
        """Make the flow equal to ``x -> linear x + offset``, provided that it has not been trained yet.

        A map of the first n coordinates, (n, n) and (n,), leaves the others as they are.
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
        """Follow the flow by ``y -> linear y + offset`` of the first coordinates, merged into its last layer."""
        linear, offset = self._widened(linear, offset)
        self.last.bias.copy_(linear @ self.last.bias + offset)
        self.last.weight.copy_(linear @ self.last.weight)

    def _widened(self, linear: torch.Tensor, offset: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The map of the first coordinates as one of all."""
        n = len(offset)
        wide, shift = torch.eye(self.dim), torch.zeros(self.dim)
        wide[:n, :n], shift[:n] = linear, offset
        return wide.to(self.last.weight.device), shift.to(self.last.weight.device)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``y`` (samples, dim) and ``log |det dy/dx|`` (samples,)."""
        log_det = torch.zeros((), dtype=x.dtype, device=x.device)
        for layer in self.layers:
            x, change = layer(x)
            log_det = log_det + change
        y, change = self.last(x)
        return y, log_det + change

    def with_mean_log_det(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``y`` and the mean of ``log |det dy/dx|`` over the samples, with a quick gradient for the parameters."""
        return ChainGradient.apply(x, *self.parameters())

    def inverse(self, y: torch.Tensor) -> torch.Tensor:
        """The ``x`` with ``forward(x)[0] == y``."""
        x = self.last.inverse(y)
        for layer in reversed(self.layers):
            x = layer.inverse(x)
        return x
