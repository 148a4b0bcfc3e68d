"""Write a file under a temporary name beside its own, and rename it when it is complete.

A killed process leaves a half-written file, whose name says which process on which host wrote it. The next writer of
the same file removes it.
"""

import contextlib
import errno
import json
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pdgmm.errors import UserError


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path``; renamed to ``path`` when the block ends, removed when it fails.

    The data reach the disk before the rename, so a power cut leaves either the old file or the new one. A full disk
    or a folder without write permission raises a :class:`UserError` that names the file. Files that killed writers
    of the same file left behind are removed first: they may be what fills the disk.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{_host()}.{os.getpid()}.part")
    remove_left_overs(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    except OSError as error:
        raise UserError(_explain(path, error)) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_if_changed(path: Path, text: str) -> bool:
    """Write ``text`` unless the file already holds it, so that its time says when it changed; True if written."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    write_text(path, text)
    return True


def write_json(path: Path, value: Any) -> None:
    """Write a JSON value, indented, keys sorted; NaN and infinity are errors, not invalid JSON."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, allow_nan=False) + "\n")


def remove_left_overs(path: Path) -> None:
    """Remove half-written files that dead processes on this host left beside ``path``.

    Files of other hosts that share the folder are left alone: this host cannot know whether their writers still run.
    """
    pattern = re.compile(rf"\.{re.escape(path.name)}\.{re.escape(_host())}\.(\d+)\.part")
    with contextlib.suppress(OSError):
        for entry in os.scandir(path.parent):
            found = pattern.fullmatch(entry.name)
            if found and not _lives(int(found[1])):
                os.unlink(entry.path)


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", socket.gethostname())


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it runs, but belongs to another user
    return True


def _explain(path: Path, error: OSError) -> str:
    # HDF5 reports a full disk or a lost file handle with its own message and sometimes without an errno.
    if error.errno == errno.ENOSPC or "No space left" in str(error):
        return f"no space left to write {path}: make room and run the same command again; nothing was lost"
    if error.errno == errno.EROFS:
        return (
            f"cannot write {path}: it is on a read-only file system; have it mounted writable, or choose another "
            f"place, and run the same command again"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"cannot write {path}: permission denied; check the rights of the folder {path.parent}"
    return f"cannot write {path}: {error}"
