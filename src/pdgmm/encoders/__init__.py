"""What a fitted stage leaves behind: maps from observations to codes, saved without pickle.

``KINDS`` names every kind of encoder a model file may hold; the kind in the file picks the class.
"""

from pdgmm.catalogue import named_class
from pdgmm.encoders.base import Encoder

KINDS: dict[str, str] = {
    "identity": "pdgmm.encoders.identity:IdentityEncoder",
    "affine": "pdgmm.encoders.affine:AffineEncoder",
    "flow": "pdgmm.encoders.flow:FlowEncoder",
    "image": "pdgmm.encoders.images:ImageEncoder",
    "network": "pdgmm.encoders.network:NetworkEncoder",
}


def encoder_class(kind: str) -> type[Encoder]:
    """The class behind ``kind``; a ``KeyError`` for a kind this version does not know."""
    return named_class(KINDS, kind)
