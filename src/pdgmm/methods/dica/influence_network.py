"""An autoencoder whose decoder gives its Jacobians, with a linear part beside the networks, and maybe a flow."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import nn

from pdgmm.fitting.decoder_jacobian import layers_jacobian
from pdgmm.fitting.whitening import Whitening
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.network_model import CodingNetwork


class InfluenceNetwork(CodingNetwork):
    """With ``y = (x - mean) / scale``: ``z = into y + f(y)`` and ``y = out z + g(z)``; the code is z or a flow of it.

    ``f`` and ``g`` are tanh networks with the hidden layers ``units``, mirrored in g. ``into`` (latents, x_dim) and
    ``out`` (x_dim, latents) are fixed, and zero unless they are set. ``flow`` are arguments of a coupling flow.
    """

    def __init__(
        self, x_dim: int, latents: int, units: Sequence[int], flow: dict[str, int] | None = None
    ) -> None:
        super().__init__()
        sizes = [x_dim, *units, latents]
        self.encoder, self.decoder = tanh_mlp(sizes), tanh_mlp(sizes[::-1])
        self.flow = CouplingFlow(latents, **flow) if flow else None
        buffers = {"mean": (x_dim,), "scale": (), "into": (latents, x_dim), "out": (x_dim, latents)}
        for name, shape in buffers.items():
            self.register_buffer(name, torch.ones(shape) if name == "scale" else torch.zeros(shape))

    @torch.no_grad()
    def scale_to(self, x: np.ndarray) -> None:
        """Subtract the mean of ``x`` (samples, x_dim), and divide by one number, so that the mean variance is 1."""
        self.mean.copy_(torch.from_numpy(x.mean(axis=0, dtype=np.float64)))
        self.scale.copy_(torch.tensor(np.sqrt(x.var(axis=0, dtype=np.float64).mean()) or 1.0))

    @torch.no_grad()
    def add_principal_components(self, whitening: Whitening) -> None:
        """Let the linear parts be the principal components, so that the networks only learn what is curved."""
        self.into.copy_(torch.from_numpy(whitening.matrix) * self.scale)
        self.out.copy_(torch.from_numpy(whitening.inverse) / self.scale)

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        """``y``."""
        return (x - self.mean) / self.scale

    def latents(self, y: torch.Tensor) -> torch.Tensor:
        """``z``, the code before the flow."""
        return y @ self.into.T + self.encoder(y)

    def with_jacobian(self, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``y`` (samples, x_dim) at ``z`` (samples, latents), and ``dy/dz`` (samples, x_dim, latents)."""
        values, jacobian = layers_jacobian(self.decoder, z)
        return values + z @ self.out.T, jacobian + self.out

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        z = self.latents(self.scaled(x))
        return z if self.flow is None else self.flow(z)[0]

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        z = code if self.flow is None else self.flow.inverse(code)
        return self.mean + self.scale * (z @ self.out.T + self.decoder(z))

    @torch.no_grad()
    def turn(self, linear: torch.Tensor) -> None:
        """Replace z by ``linear^-1 z``, with ``linear`` (latents, latents): the observations stay the same."""
        inverse = torch.linalg.inv(linear.double())
        last, first = self.encoder[-1], self.decoder[0]
        for side in (self.into, last.weight):
            side.copy_(inverse @ side.double())
        last.bias.copy_(inverse @ last.bias.double())
        for side in (self.out, first.weight):
            side.copy_(side.double() @ linear.double())


def tanh_mlp(sizes: Sequence[int]) -> nn.Sequential:
    """Affine layers of the given ``sizes`` with tanh between them: smooth, so that Jacobians are."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.Tanh()]
    return nn.Sequential(*layers[:-1])
