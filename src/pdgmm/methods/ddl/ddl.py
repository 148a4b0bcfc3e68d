"""Our version of diverse dictionary learning: an exact likelihood, and a penalty that does not depend on scales."""

from pydantic import Field

from pdgmm.errors import UserError
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.methods.gradient_training import BatchSize, GradientClip, Layers, LearningRate


class Ddl(Method):
    """Minimises ``-log p(y) + weight sum_ij log(S_ij + 0.05)`` with ``S_ij = sqrt(E J_ij^2) sd(z_j) / sd(x_i)``.

    ``y`` are the whitened principal components of x, as many as latents: all of x if there are as many columns. A
    network ``z = h(y)`` gives the code, with a standard normal prior. So the likelihood is exact, ``log p(y) = log
    N(h(y)) + log |det Dh(y)|``, and the decoder's Jacobian is the inverse of h's.

    The support of a Jacobian is about all samples together, so the mean over samples comes first. The logarithm then
    counts entries that are not zero, and does not depend on the scale of the codes. With more columns than latents
    the sum is that over n average rows. Several networks are trained side by side. In the first quarter of the
    steps there is no penalty; then each code is turned by the rotation with the smallest penalty; then the weight
    rises over another quarter. The network with the best objective on held-out samples is kept, among those whose
    determinant keeps its sign there.
    """

    ours = True

    steps: int = Field(1200, ge=1, description="Training steps.")
    batch_size: BatchSize = 256
    units: Layers = Field([48, 48], description="Hidden layers of the network, in units.")
    learning_rate: LearningRate = 3e-3
    gradient_clip: GradientClip = 10.0
    weight: float = Field(0.01, ge=0, description="Weight of the penalty at the end.")
    restarts: int = Field(4, ge=1, description="Networks that are trained side by side.")
    rotations: int = Field(
        50, ge=1, description="Random starts of the search for the rotation with the smallest penalty."
    )
    max_samples: int = Field(100_000, ge=10, description="Most samples used; the first ones are taken.")

    def size(self) -> str:
        """The steps, the samples in each, and the networks."""
        units = "-".join(map(str, self.units))
        return f"{self.restarts} x {self.steps:,} steps of {self.batch_size:,}, {units} units"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.ddl.ddl_fitting import fit_ddl

        if data.n_latents > data.x_dim:
            raise UserError(
                f"ddl cannot find {data.n_latents} latents in {data.x_dim} dimensions: ask for fewer"
            )
        return fit_ddl(self, data, run)
