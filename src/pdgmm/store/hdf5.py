"""HDF5 files of this project: datasets and latents.

Layout: one group per split (``train``, ``test``, …) with arrays whose first axis is the sample, and arrays that
describe the world (``masks``, ``scm/…``). The attribute ``role`` of an array says whether it is ``observed`` or
``truth``. Groups are listed in the order in which they were written. Attributes of the root describe the file:
``format`` and ``format_version``, ``kind`` (``dataset`` or ``latents``), and JSON texts about its origin. Arrays are
chunked by sample and compressed. The file is sealed (:mod:`pdgmm.store.seal`): HDF5 never opens a file that changed
after it was written.
"""

import contextlib
import io
import json
import math
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from pdgmm.errors import UserError
from pdgmm.store.atomic import whole_file
from pdgmm.store.file_messages import cannot_be_read, is_missing, to_make_again
from pdgmm.store.seal import SEAL_BYTES, check_seal, seal

FORMAT = "pdgmm-hdf5"
FORMAT_VERSION = 3
ROLE = "role"
OBSERVED, TRUTH = "observed", "truth"
"""The roles of arrays: methods may see observed ones; only scores, and methods that declare it, may see the truth."""

CHUNK_ROWS = 4096
CHUNK_BYTES = 4 * 2**20
"""The size of a chunk in rows or, if rows are long, in bytes."""


class HonestFile(io.FileIO):
    """A new unbuffered file that keeps the first write error and raises it when the block ends.

    HDF5 writes much of its data when objects are closed or collected, and errors there are printed and dropped: a
    disk that is full for a moment could leave a file that looks complete. Here the error is kept, and HDF5 never
    sees it.
    """

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
            # An unbuffered write may write less than it was given, for example on a full disk.
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


@contextlib.contextmanager
def create(path: Path, kind: str, about: dict[str, Any]) -> Iterator[h5py.File]:
    """A new HDF5 file, which gets its name only if the block ends well. ``about`` is stored as JSON attributes."""
    with whole_file(Path(path)) as temporary:
        with (
            HonestFile(temporary) as raw,
            h5py.File(raw, "w", libver="v110", userblock_size=SEAL_BYTES, track_order=True) as file,
        ):
            file.attrs["format"] = FORMAT
            file.attrs["format_version"] = FORMAT_VERSION
            file.attrs["kind"] = kind
            for key, value in about.items():
                file.attrs[key] = json.dumps(value, sort_keys=True)
            yield file
        seal(temporary)


@contextlib.contextmanager
def opened(path: Path, kind: str, *, repair: str | None = None) -> Iterator[h5py.File]:
    """The file, open for reading, after checking that it is intact, ours, of this version and of this ``kind``.

    Any problem with it, also while the block reads, raises a :class:`UserError` that names the fix: ``repair``, or to
    let the workflow make the file again.
    """
    path = Path(path)
    repair = repair or to_make_again(path)
    try:
        if not path.exists():
            raise UserError(is_missing(path))
        check_seal(path, repair)
        # No locks: a file that has its name is never written to, and some network file systems lack locks.
        with h5py.File(path, "r", locking=False) as file:
            _verify(file, path, kind, repair)
            yield file
    except UserError:
        raise
    except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        if not isinstance(error, OSError) and not _raised_by_h5py(error):
            raise
        # Errors of the system (permissions, limits, a disk, a server) have an errno; errors of HDF5 have none.
        if isinstance(error, OSError) and error.errno:
            raise UserError(cannot_be_read(path, error)) from error
        raise UserError(f"{path} is damaged or no HDF5 file of ours ({error}). {repair}") from error


def about(file: h5py.File, key: str) -> Any:
    """The JSON attribute ``key`` that :func:`create` stored."""
    text, path = file.attrs[key], Path(file.filename)
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise UserError(
            f"{path} is damaged (its attribute {key!r} is not JSON). {to_make_again(path)}"
        ) from error


def rows(file: h5py.File, name: str) -> h5py.Dataset:
    """The array ``name``, with one row of numbers per sample, to be read block by block."""
    found = file[name]
    is_array = isinstance(found, h5py.Dataset) and found.ndim > 1 and found.dtype.kind in "fiub"
    if not is_array or 0 in found.shape:
        raise UserError(
            f"{file.filename} is damaged or of another program: {name} holds no rows of numbers. "
            f"{to_make_again(Path(file.filename))}"
        )
    return found


def chunk_rows(array: h5py.Dataset) -> int:
    """How many rows to read at a time so that no chunk is read twice."""
    return array.chunks[0] if array.chunks else CHUNK_ROWS


def put(file: h5py.File, name: str, array: np.ndarray, role: str | None = None) -> None:
    """Store a whole array, chunked and compressed; ``role`` as in :func:`extendable`."""
    extendable(file, name, array.shape, array.dtype, role)[...] = array


def extendable(
    file: h5py.File, name: str, shape: tuple[int, ...], dtype: np.dtype, role: str | None = None
) -> h5py.Dataset:
    """An empty array to be filled block by block along its first axis; ``role`` is ``OBSERVED`` or ``TRUTH``."""
    storage: dict[str, Any] = {}
    if shape and 0 not in shape:
        row_bytes = math.prod(shape[1:]) * np.dtype(dtype).itemsize
        chunk = (min(shape[0], CHUNK_ROWS, max(1, CHUNK_BYTES // row_bytes)), *shape[1:])
        # Level 1: float noise hardly compresses, masks and images do, and higher levels only cost time.
        storage = {"chunks": chunk, "compression": "gzip", "compression_opts": 1, "shuffle": True}
    array = file.create_dataset(name, shape, dtype, **storage)
    if role is not None:
        array.attrs[ROLE] = role
    return array


def role(array: h5py.Dataset) -> str | None:
    """``OBSERVED``, ``TRUTH``, or None if the array has no role."""
    found = array.attrs.get(ROLE)
    return found if isinstance(found, str) else None


def _verify(file: h5py.File, path: Path, kind: str, repair: str) -> None:
    # Compared as strings: in another program's file these attributes may be anything, even arrays.
    if str(file.attrs.get("format")) != FORMAT:
        raise UserError(
            f"{path} is an HDF5 file of another program (no attribute format={FORMAT!r}). {repair}"
        )
    version = file.attrs.get("format_version")
    if str(version) != str(FORMAT_VERSION):
        raise UserError(f"{path} has format version {version}, this program reads {FORMAT_VERSION}. {repair}")
    if str(file.attrs.get("kind")) != kind:
        raise UserError(f"{path} holds {file.attrs.get('kind')!r}, expected {kind!r}: check the path")


def _raised_by_h5py(error: Exception) -> bool:
    """Whether the error was raised inside h5py; an error of the same type may be a bug in the code that reads."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__", "").partition(".")[0] == "h5py"
