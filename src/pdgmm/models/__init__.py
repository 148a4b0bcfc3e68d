"""What a fitted stage leaves behind: maps from observations to codes, saved without pickle.

``KINDS`` names every kind of encoder a model file may hold; the kind in the file picks the class.
"""

from pdgmm.catalogue import named_class
from pdgmm.models.base import Encoder

KINDS: dict[str, str] = {
    "identity": "pdgmm.models.identity_model:IdentityEncoder",
    "affine": "pdgmm.models.affine_model:AffineEncoder",
    "flow": "pdgmm.models.flow_model:FlowEncoder",
    "image": "pdgmm.models.image_model:ImageEncoder",
    "network": "pdgmm.models.network_model:NetworkEncoder",
}


def encoder_class(kind: str) -> type[Encoder]:
    """The class behind ``kind``; a ``KeyError`` for a kind this version does not know."""
    return named_class(KINDS, kind)
