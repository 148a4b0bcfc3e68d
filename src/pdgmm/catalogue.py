"""Catalogues: classes by name, written as ``"module:Class"``, so that a catalogue can be listed without imports."""

import difflib
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

JOINT = "+"
"""The sign between the names of the methods in a chain."""


def named_class(catalogue: Mapping[str, str], name: str) -> Any:
    """The class listed under ``name``; raises ``KeyError`` if there is none."""
    return getattr(import_module(module_of(catalogue, name)), catalogue[name].split(":")[1])


def module_of(catalogue: Mapping[str, str], name: str) -> str:
    """The module of the class listed under ``name``."""
    return catalogue[name].split(":")[0]


def prefixes(chain: str) -> list[str]:
    """A chain and all the chains that it begins with: ``["a", "a+b"]`` for ``"a+b"``."""
    names = chain.split(JOINT)
    return [JOINT.join(names[:count]) for count in range(1, len(names) + 1)]


def unknown_name(where: str, name: Any, known: Iterable[str]) -> str:
    """An error message for a name that is not in a catalogue; it suggests the nearest name."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{where}: {name!r} is unknown; {hint}known are {', '.join(names)}"
