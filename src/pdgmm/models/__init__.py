"""Fitted models: maps from observations to codes and back, saved without pickle.

``KINDS`` lists every kind of model that a file may hold; the kind in the file selects the class. A new network does
not need a new kind: :class:`pdgmm.models.network_model.NetworkModel` can save any network.
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
    """The class for ``kind``; raises ``KeyError`` for a kind that this version does not know."""
    return named_class(KINDS, kind)
