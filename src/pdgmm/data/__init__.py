"""The catalogue of data generators: one line per generator, ``name: "module:Class"``."""

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
    "repeated": "pdgmm.data.shared_draws:Repeated",
    "pinwheel": "pdgmm.data.planar_clusters:Pinwheel",
    "parallelograms": "pdgmm.data.planar_clusters:Parallelograms",
    "mixture_recovery": "pdgmm.data.mixture_recovery:MixtureRecovery",
    "segments": "pdgmm.data.segments:Segments",
    "dependency": "pdgmm.data.dependency:Dependency",
    "domains": "pdgmm.data.domains:Domains",
    "written_digits": "pdgmm.data.written_digits:WrittenDigits",
    "sprites": "pdgmm.data.sprites:Sprites",
    "influence": "pdgmm.data.influence:Influence",
    "gene_regulation": "pdgmm.data.gene_regulation:GeneRegulation",
}


def generator_class(name: str) -> type[Generator]:
    """The settings class listed under ``name``."""
    return named_class(GENERATORS, name)
