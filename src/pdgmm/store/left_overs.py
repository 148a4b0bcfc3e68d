"""Half-written files of processes that were killed: how they are named, and when they may be removed."""

import contextlib
import os
import re
import socket
from pathlib import Path


def temporary_name(name: str) -> str:
    """The name under which this process writes the file ``name``: processes of several hosts may share a folder."""
    return f".{name}.{_host()}.{os.getpid()}.part"


def remove_left_overs(path: Path) -> None:
    """Remove what dead processes of this host left half-written of ``path``.

    Those of other hosts are left alone: nobody here can tell whether they still work.
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
        return True
    return True
