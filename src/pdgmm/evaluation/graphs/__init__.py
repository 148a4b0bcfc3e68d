"""The catalogue of methods that find a causal graph among latents: one line per method, ``name: "module:Class"``."""

from pdgmm.catalogue import named_class
from pdgmm.evaluation.graphs.discovery import GraphMethod

GRAPHS: dict[str, str] = {
    "pc": "pdgmm.evaluation.graphs.pc:Pc",
    "boss": "pdgmm.evaluation.graphs.boss:Boss",
}


def graph_class(name: str) -> type[GraphMethod]:
    """The settings class that the catalogue lists under ``name``."""
    return named_class(GRAPHS, name)
