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

    pretraining_steps: int = Vade.changed("pretraining_steps", 0)
    steps: int = Vade.changed("steps", 5001)
    batch_size: int = Field(
        6144,
        ge=2,
        description="Samples per step; all of them where there are fewer. Not stated for this baseline: "
        "the paper's other stages use 6144.",
    )
    hidden_units: HiddenUnits = Vade.changed("hidden_units", [512, 512, 2048])
    slope: float = Vade.changed("slope", 0.0)
    decoder_output: Literal["linear", "sigmoid"] = Vade.changed("decoder_output", "sigmoid")
    noise_variance: float = Vade.changed("noise_variance", 0.5)
    standardise: bool = Vade.changed("standardise", False)
    learning_rate: float = Vade.changed("learning_rate", 1e-4)
    schedule: Literal["constant", "cosine", "linear"] = Vade.changed("schedule", "constant")
