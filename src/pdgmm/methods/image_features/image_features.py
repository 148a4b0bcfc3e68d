"""Features of images: the codes of networks that are trained to reconstruct images through them."""

from abc import abstractmethod
from typing import Any

from pydantic import Field

from pdgmm.errors import UserError
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method

POINTS_TO_SPARE = 2
"""Points beyond the number of latents, since some points may find nothing."""


class ImageFeatures(Method):
    """The settings of the training: Adam on the mean squared error of a pixel, slower where it stops to fall."""

    reads_images = True

    steps: int = Field(600, ge=1, description="Most training steps.")
    batch_size: int = Field(64, ge=2, description="Images per step; all of them if there are fewer.")
    learning_rate: float = Field(5e-3, gt=0, description="Learning rate of Adam at the start.")
    held_out_images: int = Field(500, ge=1, description="Held-out images; at most a fifth of all.")
    evaluate_every: int = Field(25, ge=1, description="Steps between two evaluations on the held-out images.")
    patience: int | None = Field(
        3,
        ge=0,
        description="Evaluations in which the error does not fall by a hundredth before the learning rate is "
        "multiplied by 0.3. null: never, and all steps are taken.",
    )
    falls: int = Field(
        2,
        ge=0,
        description="How often the learning rate may fall; instead of another fall, the training ends.",
    )

    @abstractmethod
    def network(self, n_latents: int) -> tuple[type, dict[str, Any]]:
        """The class of the network, and its arguments besides the shape of the images."""

    def size(self) -> str:
        """The steps and the images in each."""
        return f"{self.steps:,} steps of {self.batch_size:,}"

    def fit(self, data: Samples, run: Run) -> Fitted:
        if data.image_shape is None:
            raise UserError("features are learned from images only: this dataset's observations are none")
        from pdgmm.methods.image_features.image_training import fit_features

        return fit_features(self, data, run)


class Keypoints(ImageFeatures):
    """The positions of points that a network finds in an image, and from which it redraws the image.

    Heat maps ``h_k`` come out of a convolutional network; the point is ``sum_p softmax(h_k)_p p`` over the pixels
    ``p`` of a grid half as fine as the image. The decoder sees a Gaussian blob around each point. What moves in
    the image moves points, so positions are close to affine in the features. There are two of them a point.
    """

    points: int | None = Field(
        None, ge=1, description="Number of points. null: the number of latents plus 2."
    )
    channels: int = Field(32, ge=1, description="Channels of the hidden layers.")
    blob: float = Field(0.05, gt=0, description="Standard deviation of a blob, as a share of the frame.")

    def network(self, n_latents: int) -> tuple[type, dict[str, Any]]:
        from pdgmm.methods.image_features.image_networks import KeypointNetwork

        points = self.points or n_latents + POINTS_TO_SPARE
        return KeypointNetwork, {"points": points, "channels": self.channels, "blob": self.blob}


class Cnn(ImageFeatures):
    """The code of a convolutional autoencoder, 128 numbers: Xu, Lachapelle and Magliacane (2026), appendix D.10.

    The defaults are the paper's sizes: it trains for as many steps as it is given, at one learning rate.
    """

    published_sizes = ("steps", "batch_size")

    steps: int = ImageFeatures.changed("steps", 20_000)
    batch_size: int = ImageFeatures.changed("batch_size", 256)
    learning_rate: float = ImageFeatures.changed("learning_rate", 1e-3)
    patience: int | None = ImageFeatures.changed("patience", None)

    def network(self, n_latents: int) -> tuple[type, dict[str, Any]]:
        from pdgmm.methods.image_features.image_networks import CnnNetwork

        return CnnNetwork, {}
