"""The seal of a file: a checksum of the whole file, checked before anything else reads it.

HDF5 trusts what it reads: one changed bit can cause an endless loop or other numbers. So our files begin with 512
bytes that HDF5 leaves to the user (its "user block"), and these hold the SHA-256 of all bytes after them. A process
checks a file once: as long as the system says that the file is the same (device, number, size, times), it is not
checked again.
"""

import hashlib
import os
import time
from pathlib import Path
from typing import BinaryIO

from pdgmm.errors import UserError

SEAL_BYTES = 512
"""The smallest user block that HDF5 allows, in bytes."""

SETTLED_SECONDS = 2.0
"""A file that changed less than this long ago may change again and keep the same time stamp."""

_MARK = b"pdgmm sealed, SHA-256 of what follows byte 512: "
_HDF5 = b"\x89HDF\r\n\x1a\n"

_found_whole: set[tuple[int, ...]] = set()
"""The states of files whose seal was checked in this process."""


def is_sealed(path: Path) -> bool:
    """Whether the file begins like a sealed one; then it is ours, damaged or not."""
    with Path(path).open("rb") as file:
        return file.read(len(_MARK)) == _MARK


def seal(path: Path) -> None:
    """Write the seal into the first 512 bytes of a finished file, which are reserved for it."""
    with Path(path).open("r+b") as file:
        sealed = _seal_of(file)
        file.seek(0)
        file.write(sealed)


def check_seal(path: Path, repair: str) -> None:
    """Raise a :class:`UserError` that ends with ``repair`` if the file has changed since it was sealed."""
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
    """The seal (512 bytes) that fits the rest of the file."""
    file.seek(SEAL_BYTES)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    return (_MARK + digest.encode() + b"\n").ljust(SEAL_BYTES, b"\0")
