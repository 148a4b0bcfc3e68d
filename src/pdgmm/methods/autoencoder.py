"""Stage 1 of the paper: a leaky-ReLU autoencoder."""

from typing import Literal

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.gradient_training import GradientTrained, Layers


class Autoencoder(GradientTrained):
    """Reconstructs the observations through a code, as in Xu, Lachapelle and Magliacane (2026).

    With ``z = batch_norm(f(x))`` it minimises ``mean_ij (g(z) - x)_ij^2 + norm_weight * mean_i |z_i|^2 / 2``
    over the networks ``f`` and ``g``; ``g`` mirrors ``f``. The defaults are the paper's sizes.
    """

    steps: int = Field(5000, ge=1, description="Training steps.")
    widths: Layers = Field(
        [50, 100, 100, 50],
        description="Hidden layers of the encoder, as multiples of the number of latents; "
        "the decoder mirrors them.",
    )
    slope: float = Field(0.02, ge=0, le=1, description="Slope of the leaky ReLU below zero.")
    norm_weight: float = Field(1.0, ge=0, description="Weight of half the mean squared norm of the code.")
    precision: Literal["float32", "bfloat16"] = Field(
        "float32",
        description="Of the matrix products in training. bfloat16: several times faster on GPUs and on CPUs with "
        "instructions for it (`lscpu` shows avx512_bf16 or amx_bf16), slower on others; weights stay in float32.",
    )
    extra_latents: int = Field(
        0, ge=0, description="Dimensions of the code beyond the number of latents that is asked for."
    )

    def learned_latents(self, asked: int) -> int:
        """The dimension of the code."""
        return asked + self.extra_latents

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.autoencoder_training import fit_autoencoder

        return fit_autoencoder(self, data, run)
