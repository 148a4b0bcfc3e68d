"""What image features are: settings of a network that is trained to reconstruct images through a code."""

from abc import abstractmethod
from typing import Any

from pydantic import Field

from pdgmm.errors import UserError
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method


class ImageFeatures(Method):
    """The settings of the training: Adam on the mean squared error of a pixel, slower where it stops to fall."""

    reads_images = True
    published_sizes = ("steps", "batch_size")

    steps: int = Field(ge=1, description="Most training steps.")
    batch_size: int = Field(ge=2, description="Images per step; all of them where there are fewer.")
    learning_rate: float = Field(gt=0, description="Learning rate of Adam at first.")
    held_out_images: int = Field(
        500, ge=1, description="Images that are only reconstructed; at most a fifth of all."
    )
    evaluate_every: int = Field(25, ge=1, description="Steps between two looks at the held-out images.")
    patience: int | None = Field(
        3,
        ge=0,
        description="Looks without an error lower by a hundredth until the learning rate falls to 0.3 of what it "
        "was. null: it stays.",
    )
    falls: int = Field(2, ge=0, description="The training ends where the learning rate would fall once more.")

    @abstractmethod
    def architecture(self, n_latents: int) -> tuple[str, dict[str, Any]]:
        """The network by its name in ``image_networks.NETWORKS``, and its arguments beside the image's shape."""

    def size(self) -> str:
        """The steps and the images in each."""
        return f"{self.steps:,} steps of {self.batch_size:,}"

    def fit(self, data: Samples, run: Run) -> Fitted:
        if data.image_shape is None:
            raise UserError("features are learned from images only: this dataset's observations are none")
        from pdgmm.methods.image_features.image_training import fit_features

        return fit_features(self, data, run)
