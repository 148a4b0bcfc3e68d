"""The catalogue of image features: one line a network, ``name: "module:Class"``.

A network learns to draw images again from a few numbers. Those numbers are what the stages see of an image.
"""

from pdgmm.catalogue import named_class
from pdgmm.methods.image_features.image_features import ImageFeatures

FEATURES: dict[str, str] = {
    "keypoints": "pdgmm.methods.image_features.keypoints:Keypoints",
    "cnn": "pdgmm.methods.image_features.cnn:Cnn",
}


def feature_class(name: str) -> type[ImageFeatures]:
    """The settings class listed under ``name``."""
    return named_class(FEATURES, name)
