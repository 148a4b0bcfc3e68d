"""Autoencoders that are trained with a penalty on the decoder's Jacobian: DICA's loss, and sparsity alone."""

from typing import Literal

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.methods.gradient_training import BatchSize, GradientClip, Layers, LearningRate, Schedule


class SparseJacobian(Method):
    """Minimises ``mean |y - g(f(y))|^2 + norm_weight * mean_t sum_ij |J_ij| deviation_j``, J the Jacobian of g.

    ``y`` is x with mean 0 and a mean variance of 1. The deviations are those of the code in a batch: without them a
    large code would make any Jacobian small. With the weight 0 it is a plain autoencoder.
    """

    steps: int = Field(3000, ge=1, description="Training steps.")
    batch_size: BatchSize = 256
    units: Layers = Field(
        [64, 64], description="Hidden layers of the encoder, in units; the decoder mirrors them."
    )
    learning_rate: LearningRate = 3e-3
    schedule: Schedule = "cosine"
    gradient_clip: GradientClip = 10.0
    norm_weight: float = Field(0.01, ge=0, description="Weight of the norm of the Jacobian.")

    def size(self) -> str:
        return f"{self.steps:,} steps of {self.batch_size:,}, {'-'.join(map(str, self.units))} units"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.dica.jacobian_training import fit_sparse_jacobian

        return fit_sparse_jacobian(self, data, run)


class DicaAsPublished(SparseJacobian):
    """DICA's loss (arXiv 2510.17040): ``mean |y - g(f(y))|^2 - v log det(J^T J) + norm_weight * c(J)``.

    The weight v rises linearly to ``volume_weight`` over the warm-up, with ``c(J) = |J|``; after it ``c(J) =
    softplus(|J| - C)`` with C the mean of ``|J|`` over the last tenth of the warm-up. The paper gives neither weights
    nor sizes; these are ours.
    """

    volume_weight: float = Field(0.1, ge=0, description="Weight of the log volume after the warm-up.")
    warmup: float = Field(0.5, gt=0, lt=1, description="Share of the steps that are warm-up.")
    norm: Literal["sum", "row"] = Field(
        "sum",
        description="The norm of J: the sum of all entries' sizes (sum), as the loss reads, or the largest sum of a "
        "row (row), as the constraint of the theorem reads.",
    )

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.dica.jacobian_training import fit_published

        return fit_published(self, data, run)
