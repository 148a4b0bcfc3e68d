"""Our version of diverse dictionary learning: a scale-free penalty, and a start from the sparsest rotation."""

from typing import Literal

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.ddl.penalised_vaes import Vae
from pdgmm.methods.gradient_training import Layers, LearningRate


class Ddl(Vae):
    """Adds ``weight sum_ij log(S_ij + 0.05)`` with ``S_ij = sqrt(E J_ij^2) sd(z_j) / sd(x_i)`` to a VAE's loss.

    The support of a Jacobian is about all samples together, so the mean over samples comes first. The logarithm then
    counts entries that are not zero, and does not depend on the scale of the codes; a mean of absolute values is
    lowered by any code with a larger scale. The training has two phases:

    1. a VAE without penalty. Then the code is turned by the rotation with the smallest penalty. The penalty of a
       rotation only depends on ``E J_i^T J_i`` of every output, so many starts cost little.
    2. the VAE with the penalty, whose weight rises to ``weight`` over the first quarter.

    A large weight does harm: the sparsest decoder of all is the identity, whose code is the observations. Only the
    prior keeps the latents independent.
    """

    ours = True

    steps: int = Vae.changed("steps", 6000)
    pretraining_steps: int = Field(2000, ge=1, description="Steps without penalty, before those of `steps`.")
    encoder_units: Layers = Vae.changed("encoder_units", [64, 64])
    decoder_units: Layers = Vae.changed("decoder_units", [64, 64])
    noise_variance: float = Vae.changed("noise_variance", 0.01)
    divergence_weight: float = Vae.changed("divergence_weight", 1.0)
    learning_rate: LearningRate = 2e-3
    schedule: Literal["constant", "cosine", "linear"] = Vae.changed("schedule", "cosine")
    weight: float = Field(0.03, ge=0, description="Weight of the penalty at the end.")
    rotations: int = Field(
        200, ge=1, description="Random starts of the search for the rotation with the smallest penalty."
    )

    def size(self) -> str:
        """As that of all VAEs, with the steps before."""
        return f"{self.pretraining_steps:,} + {super().size()}"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.ddl.ddl_fitting import fit_ddl

        return fit_ddl(self, data, run)
