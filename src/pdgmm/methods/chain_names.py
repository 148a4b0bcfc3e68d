"""Chains of methods by name, and what their parts need: the same for a config and for a user's own data."""

from collections.abc import Collection, Mapping
from typing import Any

from pdgmm.catalogue import JOINT, unknown_name
from pdgmm.methods.base import Method

LEFT_OUT = ("identity", "none")
"""Names that change nothing in a chain with other parts: ``identity+fastica`` is the same as ``fastica``."""


def parsed_chain(text: str, known: Mapping[str, Any], where: str, problems: list[str]) -> list[str]:
    """The names in ``text``. If one is wrong, a line is added to ``problems`` and the list is empty."""
    names = text.split(JOINT)
    meant = [name for name in names if name not in LEFT_OUT] or ["identity"]
    if len(names) > len(meant) or "none" in names:
        problems.append(f"{where}: {text!r} must be written {JOINT.join(meant)!r}")
        return []
    unknown = [name for name in names if name not in known]
    problems.extend(
        unknown_name(f"{where} ({text})" if len(names) > 1 else where, name, known) for name in unknown
    )
    return [] if unknown else names


def lacks(method: Method, side: Collection[str], truth: Collection[str]) -> list[str]:
    """In words, what a method needs besides ``x`` that is not in ``side``, which is observed, or in ``truth``."""
    unseen = [f"needs the side variable {one!r}" for one in method.sees if one not in side]
    return unseen + [f"must be told the true {one!r}" for one in method.told if one not in truth]
