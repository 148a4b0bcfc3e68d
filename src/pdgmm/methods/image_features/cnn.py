"""Features of images: the paper's convolutional autoencoder."""

from typing import Any

from pydantic import Field

from pdgmm.methods.image_features.image_features import ImageFeatures


class Cnn(ImageFeatures):
    """The code of a convolutional autoencoder, 128 numbers: Xu, Lachapelle and Magliacane (2026), appendix D.10.

    The defaults are the paper's sizes: it trains for as many steps as it is given, at one learning rate.
    """

    steps: int = Field(20_000, ge=1, description="Most training steps.")
    batch_size: int = Field(256, ge=2, description="Images per step; all of them where there are fewer.")
    learning_rate: float = Field(1e-3, gt=0, description="Learning rate of Adam at first.")
    patience: int | None = Field(
        None,
        ge=0,
        description="Looks without an error lower by a hundredth until the learning rate falls to 0.3 of what it "
        "was. null: it stays, and all steps are taken.",
    )

    def architecture(self, n_latents: int) -> tuple[str, dict[str, Any]]:
        return "cnn", {}
