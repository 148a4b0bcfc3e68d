"""Catalogues: classes by name, as texts ``"module:Class"``, so that listing one imports nothing."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any


def named_class(catalogue: Mapping[str, str], name: str) -> Any:
    """The class listed under ``name``; a ``KeyError`` where there is none."""
    return getattr(import_module(module_of(catalogue, name)), catalogue[name].split(":")[1])


def module_of(catalogue: Mapping[str, str], name: str) -> str:
    """The module of the class listed under ``name``."""
    return catalogue[name].split(":")[0]
