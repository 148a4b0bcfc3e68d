"""What the settings of variational autoencoders have in common."""

from typing import Literal

from pydantic import Field

from pdgmm.methods.base import Method
from pdgmm.methods.gradient_training import BatchSize, GradientClip, Layers, LearningRate, Schedule


class VaeMethod(Method):
    """The networks of a variational autoencoder, its likelihood and its training."""

    steps: int = Field(2000, ge=1, description="Training steps.")
    batch_size: BatchSize = 256
    encoder_units: Layers = Field([128, 128], description="Hidden layers of the encoder, in units.")
    decoder_units: Layers = Field(
        [128, 128], description="Hidden layers of the decoder, in units, starting at the code."
    )
    slope: float = Field(0.01, ge=0, le=1, description="Slope of the leaky ReLU below zero. 0: ReLU.")
    likelihood: Literal["gaussian", "bernoulli", "binarised"] = Field(
        "gaussian",
        description="Distribution of an observation given its code: Gaussian; Bernoulli, for values from 0 to 1; or "
        "Bernoulli after every batch has drawn each value as 0 or 1 with the grey value as its probability.",
    )
    noise_variance: float = Field(
        0.01, gt=0, description="Variance of a Gaussian likelihood, the same for every coordinate."
    )
    standardise: bool = Field(
        True,
        description="Give every coordinate mean 0 and variance 1; only if the likelihood is Gaussian.",
    )
    learning_rate: LearningRate = 1e-3
    schedule: Schedule = "constant"
    gradient_clip: GradientClip = None

    def size(self) -> str:
        """The steps, the samples in each, and the networks."""
        to, back = ("-".join(map(str, units)) or "no" for units in (self.encoder_units, self.decoder_units))
        return f"{self.steps:,} steps of {self.batch_size:,}, {to} and {back} units"
