"""CG-VAE: a VAE whose prior changes between domains and whose decoder has a sparse Jacobian."""

from typing import Literal

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.gradient_training import Layers, LearningRate
from pdgmm.methods.vae.vae_settings import VaeMethod


class CgVae(VaeMethod):
    """Minimises ``-log p(x | z) + beta KL(q(z | x) || p(z | u)) + alpha L1``, with ``L1 = mean sum_ik |dx_i/dz_k|``.

    Li et al. (2025), "Synergy between sufficient changes and sparse mixing procedure for disentangled representation
    learning". ``p(z | u)`` are monotone flows of standard normals. The Jacobian is exact; the paper takes forward
    differences. In the paper's form a latent that grows makes ``|dx/dz|`` small, so with ``scaled`` each column is
    multiplied by the deviation of its latent. ``alpha: 0`` leaves out the sparsity, ``domains: false`` the domains.
    The paper states no sizes; these are ours.
    """

    sees = ("u",)

    steps: int = VaeMethod.changed("steps", 2000)
    encoder_units: Layers = VaeMethod.changed("encoder_units", [64, 64])
    decoder_units: Layers = VaeMethod.changed("decoder_units", [128])
    slope: float = VaeMethod.changed("slope", 0.2)
    learning_rate: LearningRate = 1e-2
    schedule: Literal["constant", "cosine", "linear"] = VaeMethod.changed("schedule", "cosine")
    alpha: float = Field(1.0, ge=0, description="Weight of the L1 norm of the decoder's Jacobian.")
    warmup: float = Field(
        0.5, ge=0, le=1, description="Share of the steps over which the weight rises linearly from 0."
    )
    scaled: bool = Field(
        True,
        description="Multiply each column of the Jacobian by its latent's deviation; false: as published.",
    )
    beta: float = Field(1.0, ge=0, description="Weight of the divergence.")
    domains: bool = Field(
        True, description="Whether the prior depends on the domain; false: standard normal."
    )
    prior: Literal["sigmoidal", "gaussian"] = Field(
        "sigmoidal",
        description="Prior in a domain: deep sigmoidal flows of normals, as in the paper; or Gaussian.",
    )

    def size(self) -> str:
        """The size of the networks, and which terms the loss has."""
        prior = self.prior if self.domains else "no"
        return f"{super().size()}, alpha {self.alpha:g}, {prior} domains"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.cg.cg_vae_fitting import fit_cg_vae

        return fit_cg_vae(self, data, run)
