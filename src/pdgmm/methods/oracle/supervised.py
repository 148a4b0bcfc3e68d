"""The method that is told the latents: how well they can be computed from the observations at all."""

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.methods.gradient_training import BatchSize, GradientClip, Layers, LearningRate, Schedule


class Supervised(Method):
    """Minimises ``E |f(x) - z|^2 + E |g(z) - x|^2`` over two networks, with the true z of the training samples.

    The code is ``f(x)``. Its score says what is left to gain: it is low if the observations do not determine the
    latents, or if there are too few samples to learn the map.
    """

    told = ("z",)

    steps: int = Field(4000, ge=1, description="Training steps.")
    batch_size: BatchSize = 256
    units: Layers = Field([64, 64, 64], description="Hidden layers of both networks, in units.")
    slope: float = Field(0.2, ge=0, le=1, description="Slope of the leaky ReLU below zero. 0: ReLU.")
    learning_rate: LearningRate = 2e-3
    schedule: Schedule = "cosine"
    gradient_clip: GradientClip = None

    def size(self) -> str:
        """The steps, the samples in each, and the networks."""
        return f"{self.steps:,} steps of {self.batch_size:,}, {'-'.join(map(str, self.units))} units"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.oracle.supervised_fitting import fit_supervised

        return fit_supervised(self, data, run)
