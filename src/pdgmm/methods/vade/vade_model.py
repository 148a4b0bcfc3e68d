"""The model: a Gaussian mixture of codes, and networks to and from them."""

from typing import Literal

import torch
from torch import nn

from pdgmm.fitting.networks import leaky_mlp
from pdgmm.models.network_model import CodingNetwork


class MixturePrior(nn.Module):
    """``p(c) = pi_c`` and ``p(z | c) = N(z; mu_c, diag s_c)`` for c = 1 … K and z of dimension d.

    ``pi`` is the softmax of ``logits`` (K,); ``means`` and ``log_variances`` are (K, d). All weights and means
    begin equal: only the log variances, drawn from N(0, 1), tell the components apart.
    """

    def __init__(self, components: int, dim: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(components))
        self.means = nn.Parameter(torch.zeros(components, dim))
        self.log_variances = nn.Parameter(torch.randn(components, dim))

    def log_weights(self) -> torch.Tensor:
        """``log pi`` (K,)."""
        return torch.log_softmax(self.logits, dim=0)


class VadeModel(CodingNetwork):
    """``q(z | x) = N(z; mean(x), diag variance(x))``, ``p(x | z) = N(x; g(z), noise_variance I)``, and ``p(z)``.

    The inputs are standardised with the buffers ``input_mean`` and ``input_deviation`` (x_dim,) first; all that
    is said of x elsewhere is about the standardised one. The decoder g mirrors the encoder; ``output`` is what
    follows its last layer.
    """

    def __init__(
        self,
        x_dim: int,
        hidden: list[int],
        latents: int,
        components: int,
        slope: float,
        output: Literal["linear", "sigmoid"],
    ) -> None:
        super().__init__()
        self.latents = latents
        # One last layer for means and log variances: two heads on the same hidden layers.
        self.encoder = leaky_mlp([x_dim, *hidden, 2 * latents], slope)
        self.decoder = leaky_mlp([latents, *hidden[::-1], x_dim], slope)
        self.output = nn.Sigmoid() if output == "sigmoid" else nn.Identity()
        self.prior = MixturePrior(components, latents)
        self.register_buffer("input_mean", torch.zeros(x_dim))
        self.register_buffer("input_deviation", torch.ones(x_dim))

    def standardised(self, x: torch.Tensor) -> torch.Tensor:
        """``(x - mean) / deviation`` of raw samples (samples, x_dim)."""
        return (x - self.input_mean) / self.input_deviation

    def posterior(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean and log variance, both (samples, latents), of ``q(z | x)`` for standardised ``x``."""
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        return mean, log_variance

    def reconstructed(self, z: torch.Tensor) -> torch.Tensor:
        """``g(z)`` (samples, x_dim), a standardised sample."""
        return self.output(self.decoder(z))

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        """The posterior means (samples, latents) of raw samples."""
        return self.posterior(self.standardised(x))[0]

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        """Raw samples (samples, x_dim)."""
        return self.reconstructed(code) * self.input_deviation + self.input_mean

    @torch.no_grad()
    def start_posterior(self, variances: torch.Tensor) -> None:
        """Make ``variances`` (latents,) those of ``q(z | x)``, whatever the sample."""
        last = self.encoder[-1]
        last.weight[self.latents :] = 0
        last.bias[self.latents :] = variances.log()
