"""The catalogue of stages: one line a method, ``name: "module:Class"``.

Stage 1 turns observations into a code that should be affine in the hidden variables; stage 2 turns the code
into the hidden variables themselves. Any stage 2 runs on any stage 1.
"""

from pdgmm.catalogue import named_class
from pdgmm.methods.base import Stage

STAGE1: dict[str, str] = {
    "identity": "pdgmm.methods.identity:Identity",
    "autoencoder": "pdgmm.methods.autoencoder:Autoencoder",
    "flow": "pdgmm.methods.flow.flow:Flow",
}

STAGE2: dict[str, str] = {
    "none": "pdgmm.methods.identity:Identity",
    "fastica": "pdgmm.methods.fastica:FastICA",
    "lagrangian": "pdgmm.methods.sparse_affine.lagrangian:Lagrangian",
    "oracle": "pdgmm.methods.oracle.oracle:Oracle",
    "spike_slab": "pdgmm.methods.spike_slab.spike_slab:SpikeSlab",
    "unconstrained": "pdgmm.methods.sparse_affine.unconstrained:Unconstrained",
    "vade": "pdgmm.methods.vade.vade:Vade",
    "vade_as_published": "pdgmm.methods.vade.vade_as_published:VadeAsPublished",
}


def stage_class(catalogue: dict[str, str], name: str) -> type[Stage]:
    """The settings class that ``catalogue`` (``STAGE1`` or ``STAGE2``) lists under ``name``."""
    return named_class(catalogue, name)
