"""CG-GAN: a generator whose latents change between domains, with a sparse Jacobian and a learned mask."""

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.methods.gradient_training import BatchSize, Layers, LearningRate


class CgGan(Method):
    """``x = G(z')`` with ``z' = e + m F_u(e)``, ``e ~ N(0, 1)``: an adversarial game, then an encoder of G's samples.

    The generator of Li et al. (2025) at the size of tables and small images: F_u are monotone functions of single
    latents, one for every domain u; the mask m, learned and cut to 0 below 0.1, says which latents change. The
    discriminator sees u. Losses: softplus, the R1 penalty on the discriminator; for the generator ``alpha`` times the
    L1 norm of its exact Jacobian and ``mask_weight`` times the mean of the mask. The paper needs no encoder; here one
    is regressed on pairs ``(G(z'), z')``, so that observations get a code. The fit claims ``generated`` samples.
    """

    sees = ("u",)

    steps: int = Field(5000, ge=1, description="Steps of the adversarial game.")
    encoder_steps: int = Field(2000, ge=1, description="Further steps, of the encoder alone.")
    batch_size: BatchSize = 256
    units: Layers = Field([64, 64], description="Hidden layers of generator, discriminator and encoder.")
    slope: float = Field(0.2, ge=0, le=1, description="Slope of the leaky ReLUs below zero.")
    learning_rate: LearningRate = 1e-3
    gradient_penalty: float = Field(1.0, ge=0, description="Weight of the R1 penalty.")
    alpha: float = Field(0.01, ge=0, description="Weight of the L1 norm of the generator's Jacobian.")
    scaled: bool = Field(
        True,
        description="Multiply each column of the Jacobian by its latent's deviation; false: as published.",
    )
    mask_weight: float = Field(0.1, ge=0, description="Weight of the mean of the mask.")

    def size(self) -> str:
        """The steps of both phases and the networks."""
        units = "-".join(map(str, self.units))
        return f"{self.steps:,} + {self.encoder_steps:,} steps of {self.batch_size:,}, {units} units"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.cg.cg_gan_training import fit_cg_gan

        return fit_cg_gan(self, data, run)
