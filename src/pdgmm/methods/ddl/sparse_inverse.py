"""Networks from observations to independent latents, several side by side, with their Jacobians."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import nn

from pdgmm.models.network_model import CodingNetwork

REFERENCES = 500
"""Known pairs of y and code, from the nearest of which a code is decoded."""

NEWTON_STEPS = 30


class SideBySide(nn.Module):
    """``count`` networks ``h(y) = y A + b + g(y)`` of n numbers, with a tanh network g; A starts as a rotation.

    ``y`` (samples, n) goes through all of them.
    """

    def __init__(self, count: int, n: int, units: Sequence[int]) -> None:
        super().__init__()
        self.linear = nn.Parameter(torch.linalg.qr(torch.randn(count, n, n)).Q)
        self.shift = nn.Parameter(torch.zeros(count, 1, n))
        sizes = [n, *units, n]
        self.weights = nn.ParameterList(torch.randn(count, a, b) / a**0.5 for a, b in pairwise(sizes))
        self.biases = nn.ParameterList(0.5 * torch.randn(count, 1, b) for b in units)
        with torch.no_grad():
            self.weights[-1].mul_(1e-3)

    def forward(self, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The codes z (count, samples, n), and ``dz/dy`` (count, samples, n, n), a row for every latent."""
        count, n = self.linear.shape[:2]
        values = y.expand(count, -1, -1)
        # (count, samples, n, width): the derivative along every coordinate of y.
        tangents = torch.eye(n, dtype=y.dtype, device=y.device).expand(count, len(y), n, n)
        for weight, bias in zip(self.weights, self.biases, strict=False):
            values = torch.tanh(values @ weight + bias)
            tangents = _through(tangents, weight) * (1 - values.square())[:, :, None]
        z = y @ self.linear + self.shift + values @ self.weights[-1]
        derivatives = _through(tangents, self.weights[-1]) + self.linear[:, None]
        return z, derivatives.mT

    @torch.no_grad()
    def turn(self, number: int, matrix: torch.Tensor) -> None:
        """Replace the code z of one network by ``z @ matrix``."""
        for parameter in (self.linear, self.shift, self.weights[-1]):
            parameter[number] = parameter[number] @ matrix


def _through(tangents: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    count, samples, n, width = tangents.shape
    return (tangents.reshape(count, samples * n, width) @ weight).reshape(count, samples, n, -1)


class SparseInverse(CodingNetwork):
    """One of the networks, on the whitened principal components ``y = (x - mean) @ matrix.T`` of observations.

    It is decoded with Newton's method.
    """

    def __init__(self, x_dim: int, latents: int, units: Sequence[int]) -> None:
        super().__init__()
        self.inverse_map = SideBySide(1, latents, units)
        shapes = {"mean": (x_dim,), "matrix": (latents, x_dim), "back": (x_dim, latents)}
        for name, shape in shapes.items():
            self.register_buffer(name, torch.zeros(shape))
        self.register_buffer("references", torch.zeros(REFERENCES, latents))

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        return self.inverse_map((x - self.mean) @ self.matrix.T)[0][0]

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        """Observations with these codes: exact where Newton's method finds one, else the nearest that it found."""
        known = self.inverse_map(self.references)[0][0]
        y = self.references[torch.cdist(code, known).argmin(dim=1)]
        sizes = torch.ones(len(code), 1, dtype=code.dtype, device=code.device)
        z, derivatives = (part[0] for part in self.inverse_map(y))
        for _ in range(NEWTON_STEPS):
            change = torch.linalg.solve(derivatives, (code - z)[:, :, None])[:, :, 0]
            tried = y + sizes * change
            new_z, new_derivatives = (part[0] for part in self.inverse_map(tried))
            better = (code - new_z).norm(dim=1) < (code - z).norm(dim=1)
            y, z = (torch.where(better[:, None], *pair) for pair in ((tried, y), (new_z, z)))
            derivatives = torch.where(better[:, None, None], new_derivatives, derivatives)
            sizes = torch.where(better[:, None], 1.0, sizes / 2)
        return self.mean + y @ self.back.T
