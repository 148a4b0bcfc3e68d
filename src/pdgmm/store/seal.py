"""The seal of a file: a checksum of all of it, checked before anything else looks into it.

HDF5 trusts what it reads: one changed bit can send it into a loop without end, or give other numbers. So a file of
ours begins with 512 bytes that HDF5 leaves to the user (its "user block"), and they hold the SHA-256 of all the bytes
after them. A process computes it once for a file: as long as the system says that the file is the same (device,
number, size, times), it is not read again to check it.
"""

import hashlib
import os
import time
from pathlib import Path
from typing import BinaryIO

from pdgmm.errors import UserError

SEAL_BYTES = 512
"""The least that HDF5 takes for a user block."""

SETTLED_SECONDS = 2.0
"""A file that changed more recently than this may change again without getting another time."""

_MARK = b"pdgmm sealed, SHA-256 of what follows byte 512: "
_HDF5 = b"\x89HDF\r\n\x1a\n"

_found_whole: set[tuple[int, ...]] = set()
"""The states of files whose seal was checked in this process."""


def is_sealed(path: Path) -> bool:
    """Whether the file begins as a sealed one, which is then ours, damaged or not."""
    with Path(path).open("rb") as file:
        return file.read(len(_MARK)) == _MARK


def seal(path: Path) -> None:
    """Put the seal into the first 512 bytes of a finished file, which were left free for it."""
    with Path(path).open("r+b") as file:
        sealed = _seal_of(file)
        file.seek(0)
        file.write(sealed)


def check_seal(path: Path, repair: str) -> None:
    """Nothing where the file is as it was when it was sealed, else a :class:`UserError` with the words ``repair``."""
    with Path(path).open("rb") as file:
        about = os.fstat(file.fileno())
        state = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        if state in _found_whole:
            return
        found = file.read(SEAL_BYTES)
        if found.startswith(_HDF5):
            raise UserError(f"{path} is an HDF5 file of another program. {repair}")
        if not found.startswith(_MARK):
            raise UserError(f"{path} is damaged or no HDF5 file of ours (it does not begin as one). {repair}")
        if found != _seal_of(file):
            raise UserError(
                f"{path} is damaged (cut short, or changed since it was written: its checksum does not fit). {repair}"
            )
    if time.time() - max(about.st_mtime, about.st_ctime) > SETTLED_SECONDS:
        _found_whole.add(state)


def _seal_of(file: BinaryIO) -> bytes:
    """The first 512 bytes that belong to the rest of the file."""
    file.seek(SEAL_BYTES)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    return (_MARK + digest.encode() + b"\n").ljust(SEAL_BYTES, b"\0")
