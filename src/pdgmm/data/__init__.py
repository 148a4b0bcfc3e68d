"""The catalogue of data generators: one line a generator, ``name: "module:Class"``."""

from pdgmm.catalogue import named_class
from pdgmm.data.base import Generator

GENERATORS: dict[str, str] = {
    "pdgmm": "pdgmm.data.masked_scm:MaskedScm",
    "balls": "pdgmm.data.balls.balls:Balls",
    "blocks": "pdgmm.data.block_masks:BlockMaskedScm",
    "file": "pdgmm.data.own_file:OwnFile",
    "gmm": "pdgmm.data.gmm:Gmm",
    "nongeneric": "pdgmm.data.nongeneric:NonGeneric",
    "two_bases": "pdgmm.data.two_bases:TwoBases",
}


def generator_class(name: str) -> type[Generator]:
    """The settings class listed under ``name``."""
    return named_class(GENERATORS, name)
