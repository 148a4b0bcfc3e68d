"""The catalogue of methods that find a causal graph among latents: one line a method, ``name: "module:Class"``."""

from importlib import import_module

from pdgmm.graphs.discovery import GraphMethod

GRAPHS: dict[str, str] = {
    "pc": "pdgmm.graphs.pc:Pc",
    "boss": "pdgmm.graphs.boss:Boss",
}


def graph_class(name: str) -> type[GraphMethod]:
    """The settings class that the catalogue lists under ``name``."""
    module, attribute = GRAPHS[name].split(":")
    return getattr(import_module(module), attribute)
