"""A file that never loses the news of a failed write.

HDF5 writes much of its data when objects are closed or collected, where an error is printed and dropped: a disk
that fills up for a moment could leave a file that looks whole. Through this file HDF5 never sees the error; it is
kept, nothing more is written, and leaving the block raises it.
"""

import io
from pathlib import Path


class HonestFile(io.FileIO):
    """A new file, without a buffer, that keeps the first error of writing until the block ends."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "w+")
        self._error: OSError | None = None

    def __exit__(self, *_: object) -> None:
        self.close()
        if self._error is not None:
            raise self._error from None

    def write(self, data: memoryview) -> int:
        size = len(data)
        rest = memoryview(data)
        try:
            # An unbuffered write may take less than it was given, and at a full disk it does.
            while self._error is None and len(rest):
                rest = rest[super().write(rest) :]
        except OSError as error:
            self._error = error
        return size

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size)
        except OSError as error:
            self._error = self._error or error
            return size or 0
