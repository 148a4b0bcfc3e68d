"""Score files and graphs: JSON with a checksum of its own content, and a word for what it holds."""

from pathlib import Path
from typing import Any, Literal

from pdgmm.errors import UserError
from pdgmm.store.checked_json import read_checked_json, write_checked_json
from pdgmm.store.file_messages import is_missing, to_make_again

Kind = Literal["scores", "graph", "graph scores"]
"""``scores.json`` of a run, a graph that was found, and its scores."""


def write_scores(path: Path, kind: Kind, content: dict[str, Any]) -> None:
    """Write ``content`` to ``path``, whole or not at all."""
    write_checked_json(path, {"kind": kind, **content})


def read_scores(path: Path, kind: Kind = "scores") -> dict[str, Any]:
    """What was written as this ``kind``; a missing, damaged or other file is a :class:`UserError` that names it."""
    try:
        content = read_checked_json(path, to_make_again(path))
    except FileNotFoundError:
        raise UserError(is_missing(path)) from None
    if content.pop("kind", None) != kind:
        raise UserError(f"{path} holds no {kind}: check the path")
    return content
