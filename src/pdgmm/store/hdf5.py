"""HDF5 files of this project: datasets and latents.

Layout: a group per split (``train``, ``test``, …) with arrays whose first axis is the sample, and arrays that
describe the world (``masks``, ``scm/…``). The attribute ``role`` of an array says whether it is ``observed`` or
``truth``. Groups are listed in the order in which they were written. Attributes of the root say what the file is:
``format`` and ``format_version``, ``kind`` (``dataset`` or ``latents``) and JSON texts about where it came from.
Arrays are chunked by sample and compressed. The file is sealed (:mod:`pdgmm.store.seal`): HDF5 only sees it as it
was written.
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
"""The roles of arrays: what methods may see, and what only scores and a method that declares it may."""

CHUNK_ROWS = 4096
CHUNK_BYTES = 4 * 2**20
"""A chunk has this number of rows or, where they are long, of bytes."""


class HonestFile(io.FileIO):
    """A new file, without a buffer, that keeps the first error of writing until the block ends.

    HDF5 writes much of its data when objects are closed or collected, where an error is printed and dropped: a disk
    that fills up for a moment could leave a file that looks whole. Through this file HDF5 never sees the error.
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


@contextlib.contextmanager
def create(path: Path, kind: str, about: dict[str, Any]) -> Iterator[h5py.File]:
    """A new HDF5 file, under its name only when the block ends well. ``about`` is kept as JSON attributes."""
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
    """The file for reading, once it is known to be whole, ours, of this version and of this ``kind``.

    Whatever is wrong with it, also while the block reads, is one :class:`UserError` with the fix: ``repair``, or to
    have the workflow make the file again.
    """
    path = Path(path)
    repair = repair or to_make_again(path)
    try:
        if not path.exists():
            raise UserError(is_missing(path))
        check_seal(path, repair)
        # Nobody writes to a file that has its name already, and not every network file system has locks.
        with h5py.File(path, "r", locking=False) as file:
            _verify(file, path, kind, repair)
            yield file
    except UserError:
        raise
    except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        if not isinstance(error, OSError) and not _raised_by_h5py(error):
            raise
        # Errors of the system (rights, limits, a disk, a server) have a number, what HDF5 finds wrong has none.
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
            f"{path} is damaged (its attribute {key!r} is no JSON text). {to_make_again(path)}"
        ) from error


def rows(file: h5py.File, name: str) -> h5py.Dataset:
    """The array ``name``, numbers with a row per sample, to be read block by block."""
    found = file[name]
    is_array = isinstance(found, h5py.Dataset) and found.ndim > 1 and found.dtype.kind in "fiub"
    if not is_array or 0 in found.shape:
        raise UserError(
            f"{file.filename} is damaged or of another program: {name} holds no rows of numbers. "
            f"{to_make_again(Path(file.filename))}"
        )
    return found


def chunk_rows(array: h5py.Dataset) -> int:
    """How many rows are read in one go without reading any twice."""
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
    """``OBSERVED``, ``TRUTH``, or None where nothing is said."""
    found = array.attrs.get(ROLE)
    return found if isinstance(found, str) else None


def _verify(file: h5py.File, path: Path, kind: str, repair: str) -> None:
    # As texts: in a foreign file an attribute of ours may be anything, an array too.
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
    """Whether the error comes out of h5py; one of the same kind may be a mistake of the code that reads."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__", "").partition(".")[0] == "h5py"
