"""The generator of CG-GAN, its latents in every domain, and the encoder."""

import torch
from torch import nn
from torch.nn.functional import selu, softplus

from pdgmm.fitting.networks import leaky_mlp
from pdgmm.models.network_model import CodingNetwork

FLOW_UNITS = 10
FLOW_LAYERS = 2

MASK_THRESHOLD = 0.1
"""Latents whose mask is not above this do not change between domains."""


class MaskedStyles(nn.Module):
    """``z' = e + m F_u(e)`` for every latent: F_u are two layers of ``sum_j w_j selu(a_j t + b_j)``, ``a_j > 0``.

    The parameters are tables (layers, domains, latents, units), the ``importance`` m is (latents,). For a mask of at
    least 0 the map is increasing, so every domain's latents are monotone functions of independent normals.
    """

    def __init__(self, latents: int, domains: int) -> None:
        super().__init__()
        shape = (FLOW_LAYERS, domains, latents, FLOW_UNITS)
        self.slopes = nn.Parameter(torch.randn(shape))
        self.shifts = nn.Parameter(torch.randn(shape))
        self.logits = nn.Parameter(torch.zeros(shape))
        self.importance = nn.Parameter(torch.ones(latents))

    def mask(self) -> torch.Tensor:
        """``m`` (latents,)."""
        return self.importance * (self.importance > MASK_THRESHOLD)

    def forward(self, noise: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        t = noise
        for slopes, shifts, logits in zip(self.slopes, self.shifts, self.logits, strict=True):
            weights = torch.softmax(logits, dim=-1)[u]
            t = (weights * selu(softplus(slopes)[u] * t[..., None] + shifts[u])).sum(dim=-1)
        return noise + self.mask() * t


class CgGanNetwork(CodingNetwork):
    """Encoder, generator and the latents of domains; ``input_mean`` and ``input_deviation`` standardise inputs."""

    def __init__(self, x_dim: int, latents: int, domains: int, units: list[int], slope: float) -> None:
        super().__init__()
        self.latents = latents
        self.styles = MaskedStyles(latents, domains)
        self.generator = leaky_mlp([latents, *units, x_dim], slope)
        self.encoder = leaky_mlp([x_dim, *units, latents], slope)
        self.register_buffer("input_mean", torch.zeros(x_dim))
        self.register_buffer("input_deviation", torch.ones(x_dim))

    def latents_of(self, u: torch.Tensor) -> torch.Tensor:
        """A draw of ``z'`` (samples, latents) for every domain in ``u`` (samples,)."""
        return self.styles(torch.randn(len(u), self.latents, device=u.device), u)

    def standardised(self, x: torch.Tensor) -> torch.Tensor:
        """``(x - mean) / deviation`` of raw samples (samples, x_dim)."""
        return (x - self.input_mean) / self.input_deviation

    def encode(self, x: torch.Tensor, **seen: torch.Tensor) -> torch.Tensor:
        return self.encoder(self.standardised(x))

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        return self.generator(code) * self.input_deviation + self.input_mean
