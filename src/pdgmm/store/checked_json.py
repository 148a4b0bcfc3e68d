"""JSON files that hold the SHA-256 of their own content, so that a changed one is noticed before it is used.

The checksum is taken of the meaning (the value that was read, written again in one way), not of the bytes: other
spaces or another order of the keys are no damage.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from pdgmm.errors import UserError
from pdgmm.store.atomic import write_json
from pdgmm.store.file_messages import cannot_be_read

CHECKSUM = "description_sha256"
"""The key of the checksum of all other entries."""


class DamagedFile(UserError):
    """A file whose content is not what was written; not one that only may not be read."""


def write_checked_json(path: Path, content: dict[str, Any]) -> None:
    """Write ``content`` with its checksum, whole or not at all."""
    # As it will be read: JSON turns numbers that are keys into texts, which sort differently.
    checksum = _checksum(json.loads(json.dumps(content)))
    write_json(path, content | {CHECKSUM: checksum})


def read_checked_json(path: Path, repair: str) -> dict[str, Any]:
    """What :func:`write_checked_json` wrote; else a :class:`UserError` that ends with the words ``repair``."""
    content = read_json_object(path, repair)
    check_content(path, content, repair)
    del content[CHECKSUM]
    return content


def read_json_object(path: Path, repair: str) -> dict[str, Any]:
    """The object in ``path``, whatever its checksum; else a :class:`UserError` that ends with ``repair``.

    A file that is not there raises :class:`FileNotFoundError`: only the caller knows what makes it.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except IsADirectoryError as error:
        raise DamagedFile(f"{path} is a folder, and should be a file: move it away. {repair}") from error
    except OSError as error:
        raise UserError(cannot_be_read(path, error)) from error
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{path} is damaged ({error}). {repair}") from error
    if not isinstance(content, dict):
        raise DamagedFile(f"{path} is damaged (no JSON object). {repair}")
    return content


def check_content(path: Path, content: dict[str, Any], repair: str) -> None:
    """A :class:`DamagedFile` where the content read from ``path`` has no checksum, or one that does not fit it."""
    try:
        fits = content.get(CHECKSUM) == _checksum(content)
    except RecursionError:
        fits = False  # deeper than what anyone could have written
    if not fits:
        raise DamagedFile(f"{path} is damaged (its content does not fit its checksum). {repair}")


def _checksum(content: dict[str, Any]) -> str:
    others = {key: value for key, value in content.items() if key != CHECKSUM}
    return hashlib.sha256(json.dumps(others, sort_keys=True).encode()).hexdigest()
