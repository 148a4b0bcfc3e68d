"""A file that never loses the news of a failed write.

HDF5 writes much of its data when objects are closed or collected, where an error is printed and dropped: a disk
that fills up for a moment could leave a file that looks whole. Through this file HDF5 never sees the error; it is
kept, nothing more is written, and leaving the block raises it.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import Self


class HonestFile:
    """A new file with what HDF5 asks of one: reading and writing at a place, truncating, flushing."""

    def __init__(self, path: Path) -> None:
        self._file = Path(path).open("w+b", buffering=0)  # noqa: SIM115 - closed when the block ends
        self._error: OSError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if self._error is not None:
            raise self._error from None

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size)

    def readinto(self, buffer: memoryview) -> int:
        return self._file.readinto(buffer)

    def write(self, data: memoryview) -> int:
        size = len(data)
        rest = memoryview(data)
        try:
            # An unbuffered write may take less than it was given, and at a full disk it does.
            while self._error is None and len(rest):
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._error = error
        return size

    def truncate(self, size: int | None = None) -> int:
        try:
            return self._file.truncate(size)
        except OSError as error:
            self._error = self._error or error
            return size or 0

    def flush(self) -> None:
        """Nothing to do: writes are not buffered here, and the caller syncs the finished file."""
