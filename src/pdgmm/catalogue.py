"""Catalogues: classes by name, as texts ``"module:Class"``, so that listing one imports nothing."""

import difflib
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

JOINT = "+"
"""Between the names of methods that make up a chain."""


def named_class(catalogue: Mapping[str, str], name: str) -> Any:
    """The class listed under ``name``; a ``KeyError`` where there is none."""
    return getattr(import_module(module_of(catalogue, name)), catalogue[name].split(":")[1])


def module_of(catalogue: Mapping[str, str], name: str) -> str:
    """The module of the class listed under ``name``."""
    return catalogue[name].split(":")[0]


def prefixes(chain: str) -> list[str]:
    """The chains that a chain is built on and itself: ``["a", "a+b"]`` of ``"a+b"``."""
    names = chain.split(JOINT)
    return [JOINT.join(names[:count]) for count in range(1, len(names) + 1)]


def unknown_name(where: str, name: Any, known: Iterable[str]) -> str:
    """A line for a name that is not in a catalogue, with the nearest one that is."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{where}: {name!r} is unknown; {hint}known are {', '.join(names)}"
