"""The catalogue of stages: one line a method, ``name: "module:Class"``.

Stage 1 turns observations into a code that should be affine in the hidden variables; stage 2 turns the code
into the hidden variables themselves. Any stage 2 runs on any stage 1.
"""

from pdgmm.catalogue import named_class
from pdgmm.stages.base import Stage

STAGE1: dict[str, str] = {
    "identity": "pdgmm.stages.identity:Identity",
    "autoencoder": "pdgmm.stages.autoencoder:Autoencoder",
    "flow": "pdgmm.stages.flow:Flow",
}

STAGE2: dict[str, str] = {
    "none": "pdgmm.stages.identity:Identity",
    "fastica": "pdgmm.stages.fastica:FastICA",
    "lagrangian": "pdgmm.stages.lagrangian:Lagrangian",
    "oracle": "pdgmm.stages.oracle:Oracle",
    "spike_slab": "pdgmm.stages.spike_slab:SpikeSlab",
    "unconstrained": "pdgmm.stages.unconstrained:Unconstrained",
    "vade": "pdgmm.stages.vade:Vade",
    "vade_as_published": "pdgmm.stages.vade_as_published:VadeAsPublished",
}


def stage_class(catalogue: dict[str, str], name: str) -> type[Stage]:
    """The settings class that ``catalogue`` (``STAGE1`` or ``STAGE2``) lists under ``name``."""
    return named_class(catalogue, name)
