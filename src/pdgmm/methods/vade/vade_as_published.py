"""The VaDE baseline with the recipe of the paper, handicaps included."""

from typing import Literal

from pydantic import Field

from pdgmm.methods.vade.vade import HiddenUnits, Vade


class VadeAsPublished(Vade):
    """VaDE as Xu, Lachapelle and Magliacane (2026) ran it: no pretraining, and a decoder that ends in a sigmoid.

    The codes of stage 1 have mean zero, so a decoder with values in (0, 1) cannot reconstruct their lower half.
    A plain sum of squared errors is the likelihood with ``noise_variance`` 1/2. The paper does not state the batch
    size: 6,144 is that of its other stages.
    """

    published_sizes = ("steps", "batch_size", "hidden_units")

    pretraining_steps: int = Field(
        0,
        ge=0,
        description="First steps, as an autoencoder. 0: none, and the mixture starts with random variances.",
    )
    steps: int = Field(5001, ge=1, description="Further steps, on the evidence lower bound.")
    batch_size: int = Field(
        6144,
        ge=2,
        description="Samples per step; all of them where there are fewer. Not stated for this baseline: "
        "the paper's other stages use 6144.",
    )
    hidden_units: HiddenUnits = Field(
        [512, 512, 2048],
        description="Hidden layers of the encoder, in units (not multiples of the number of latents); "
        "the decoder mirrors them.",
    )
    slope: float = Field(0.0, ge=0, le=1, description="Slope of the leaky ReLU below zero. 0: ReLU.")
    decoder_output: Literal["linear", "sigmoid"] = Field(
        "sigmoid", description="What follows the decoder's last layer: nothing, or a sigmoid."
    )
    noise_variance: float = Field(
        0.5, gt=0, description="Variance of the decoder's Gaussian likelihood, the same for every coordinate."
    )
    standardise: bool = Field(
        False,
        description="Give every coordinate of the input mean 0 and variance 1; false: take it as it is.",
    )
    learning_rate: float = Field(1e-4, gt=0, description="Learning rate of Adam.")
    schedule: Literal["constant", "cosine", "linear"] = Field(
        "constant",
        description="Learning rate over all steps: constant, or a fall to 0 along half a cosine or a line.",
    )
