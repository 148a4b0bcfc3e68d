"""JSON files that hold the SHA-256 of their own content, so that a damaged file is noticed before it is used.

The checksum is that of the value, written in one canonical way, not that of the bytes: other spaces or another order
of the keys do not count as damage.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from pdgmm.errors import UserError
from pdgmm.store.atomic import write_json
from pdgmm.store.file_messages import cannot_be_read, is_missing, to_make_again

CHECKSUM = "description_sha256"
"""The key under which the checksum of all other entries is stored."""

Kind = Literal["scores", "graph", "graph scores"]
"""The kinds of files: ``scores.json`` of a run, a graph that was found, and the scores of a graph."""


def write_checked_json(path: Path, content: dict[str, Any]) -> None:
    """Write ``content`` with its checksum, whole or not at all."""
    # The checksum must be that of what will be read: JSON turns keys that are numbers into strings, which sort
    # differently.
    checksum = _checksum(json.loads(json.dumps(content)))
    write_json(path, content | {CHECKSUM: checksum})


def read_checked_json(path: Path, repair: str) -> dict[str, Any]:
    """Read what :func:`write_checked_json` wrote. If it is damaged: a :class:`UserError` that ends with ``repair``.

    A missing file raises :class:`FileNotFoundError`: only the caller knows which command makes it.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        fits = isinstance(content, dict) and content.pop(CHECKSUM, None) == _checksum(content)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except IsADirectoryError as error:
        raise UserError(f"{path} is a folder, and should be a file: move it away. {repair}") from error
    except OSError as error:
        raise UserError(cannot_be_read(path, error)) from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is damaged ({error}). {repair}") from error
    if not fits:
        raise UserError(f"{path} is damaged (its content does not fit its checksum). {repair}")
    return content


def write_scores(path: Path, kind: Kind, content: dict[str, Any]) -> None:
    """Write scores or a graph, and note in the file which ``kind`` it is."""
    write_checked_json(path, {"kind": kind, **content})


def read_scores(path: Path, kind: Kind = "scores") -> dict[str, Any]:
    """Read a file of this ``kind``; a missing, damaged or other file raises a :class:`UserError` that names it."""
    try:
        content = read_checked_json(path, to_make_again(path))
    except FileNotFoundError:
        raise UserError(is_missing(path)) from None
    if content.pop("kind", None) != kind:
        raise UserError(f"{path} holds no {kind}: check the path")
    return content


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
