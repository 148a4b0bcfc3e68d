"""Features of images: the places of a few points."""

from typing import Any

from pydantic import Field

from pdgmm.methods.image_features.image_features import ImageFeatures

POINTS_TO_SPARE = 2
"""Some points may settle on nothing."""


class Keypoints(ImageFeatures):
    """The expected places of points that a network finds and draws the image from again.

    Heat maps ``h_k`` come out of a convolutional network; the point is ``sum_p softmax(h_k)_p p`` over the pixels
    ``p`` of a grid half as fine as the image. The decoder sees a Gaussian blob around each point. What moves in
    the image moves points, so positions are close to affine in the features. There are two of them a point.
    """

    published_sizes = ()

    steps: int = Field(600, ge=1, description="Most training steps.")
    batch_size: int = Field(64, ge=2, description="Images per step; all of them where there are fewer.")
    learning_rate: float = Field(5e-3, gt=0, description="Learning rate of Adam at first.")
    points: int | None = Field(
        None, ge=1, description="Points. null: as many as there are latents, and 2 more."
    )
    channels: int = Field(32, ge=1, description="Channels of the hidden layers.")
    blob: float = Field(0.05, gt=0, description="Standard deviation of a blob, as a share of the frame.")

    def architecture(self, n_latents: int) -> tuple[str, dict[str, Any]]:
        return "keypoints", {
            "points": self.points or n_latents + POINTS_TO_SPARE,
            "channels": self.channels,
            "blob": self.blob,
        }
