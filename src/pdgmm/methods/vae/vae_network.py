"""The networks of a variational autoencoder, with its prior and its likelihood."""

from typing import Any, Literal

import torch
from torch.nn.functional import one_hot, softplus

from pdgmm.fitting.networks import leaky_mlp
from pdgmm.methods.vae.likelihoods import make_likelihood
from pdgmm.methods.vae.posterior import Posterior
from pdgmm.methods.vae.priors import make_prior
from pdgmm.models.network_model import CodingNetwork

SMALLEST_VARIANCE = 1e-6


class VaeNetwork(CodingNetwork):
    """``q(z | x) = N(z; mean(x), diag variance(x))``, ``p(x | z)`` around ``g(z)``, and ``p(z)``.

    The inputs are first standardised with the buffers ``input_mean`` and ``input_deviation`` (x_dim,); everywhere
    else, x means the standardised input. ``encoder`` and ``decoder`` are the hidden layers, each starting from its
    own input. ``likelihood`` and ``prior`` are a ``kind`` with its arguments, see :mod:`.likelihoods` and
    :mod:`.priors`. With ``classes`` the encoder also sees the side variable u: ``q(z | x, u)``. ``variance`` is the
    function that turns the second half of the encoder's output into variances: ``exp``, or ``softplus`` with
    sharpness ``softplus_beta``.
    """

    def __init__(
        self,
        x_dim: int,
        latents: int,
        encoder: list[int],
        decoder: list[int],
        slope: float,
        prior: dict[str, Any],
        likelihood: dict[str, Any],
        classes: int = 0,
        variance: Literal["exp", "softplus"] = "exp",
        softplus_beta: float = 1.0,
    ) -> None:
        super().__init__()
        self.latents, self.classes = latents, classes
        self.variance, self.softplus_beta = variance, softplus_beta
        self.sees = ("u",) if classes else ()
        # One last layer for means and variances: two heads on the same hidden layers.
        self.encoder = leaky_mlp([x_dim + classes, *encoder, 2 * latents], slope)
        self.decoder = leaky_mlp([latents, *decoder, x_dim], slope)
        self.likelihood = make_likelihood(**likelihood)
        self.prior = make_prior(latents=latents, **prior)
        self.register_buffer("input_mean", torch.zeros(x_dim))
        self.register_buffer("input_deviation", torch.ones(x_dim))

    def standardised(self, x: torch.Tensor) -> torch.Tensor:
        """``(x - mean) / deviation`` of raw samples (samples, x_dim)."""
        return (x - self.input_mean) / self.input_deviation

    def posterior(self, x: torch.Tensor, u: torch.Tensor | None = None) -> Posterior:
        """``q(z | x)``, or ``q(z | x, u)`` where the encoder sees u, of standardised ``x`` (samples, x_dim)."""
        seen = torch.cat([x, one_hot(u, self.classes).to(x)], dim=1) if self.classes else x
        mean, scale = self.encoder(seen).chunk(2, dim=1)
        if self.variance == "exp":
            return Posterior(mean, scale)
        return Posterior(mean, torch.log(softplus(scale, beta=self.softplus_beta) + SMALLEST_VARIANCE))

    def reconstructed(self, z: torch.Tensor) -> torch.Tensor:
        """``g(z)`` (samples, x_dim), the mean of a standardised sample."""
        return self.likelihood.mean(self.decoder(z))

    def reconstruction_loss(self, x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
        """``-log p(x | z)`` (samples,) of standardised ``x``."""
        return self.likelihood.loss(self.decoder(z), x)

    def encode(self, x: torch.Tensor, **seen: torch.Tensor) -> torch.Tensor:
        """The posterior means (samples, latents) of raw samples."""
        return self.posterior(self.standardised(x), seen.get("u")).mean

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        """Raw samples (samples, x_dim)."""
        return self.reconstructed(code) * self.input_deviation + self.input_mean

    @torch.no_grad()
    def start_posterior(self, variances: torch.Tensor) -> None:
        """Set the variances of ``q(z | x)`` to ``variances`` (latents,) for every sample."""
        last = self.encoder[-1]
        scale = variances.log()
        if self.variance == "softplus":
            # The inverse of softplus: log(exp(beta v) - 1) / beta.
            scale = torch.log(torch.expm1(self.softplus_beta * variances)) / self.softplus_beta
        last.weight[self.latents :] = 0
        last.bias[self.latents :] = scale
