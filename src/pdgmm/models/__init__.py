"""What a fit leaves behind: maps from observations to codes and back, saved without pickle.

``KINDS`` names every kind of model a file may hold; the kind in the file picks the class. A new network is no new
kind: :class:`pdgmm.models.network_model.NetworkModel` saves every one.
"""

from pdgmm.catalogue import named_class
from pdgmm.models.base import Model

KINDS: dict[str, str] = {
    "identity": "pdgmm.models.affine_model:IdentityModel",
    "affine": "pdgmm.models.affine_model:AffineModel",
    "flow": "pdgmm.models.flow_model:FlowModel",
    "network": "pdgmm.models.network_model:NetworkModel",
}


def model_class(kind: str) -> type[Model]:
    """The class behind ``kind``; a ``KeyError`` for a kind this version does not know."""
    return named_class(KINDS, kind)
