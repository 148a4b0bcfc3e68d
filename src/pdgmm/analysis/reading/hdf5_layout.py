"""What an HDF5 file holds: which array is the table, its shape, and the names of rows and columns."""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from pdgmm.analysis.reading.array_shapes import image_shape
from pdgmm.analysis.reading.source import position_names, reading
from pdgmm.errors import UserError
from pdgmm.store import hdf5
from pdgmm.store.seal import is_sealed

OWN_REPAIR = (
    "Take the file from where you have it whole; data that you changed belong in a file without our checksum"
)
"""What mends a dataset of this program that a user gives as data of their own."""

SPARSE = ("csr_matrix", "csc_matrix")
SPARSE_PARTS = ("data", "indices", "indptr")
MOST_PACKED = 2**20
"""Values in a byte: two rounds of gzip pack zeros about as densely as this."""

LONGEST_NAME = 2**16
"""Bytes of a name where all names are given as many: a damaged number of them asks for all memory there is."""

H5PY_ERRORS = (OSError, RuntimeError, KeyError)
"""What h5py raises of damaged files."""

LAYOUT_ERRORS = (ValueError, TypeError)
"""And what it raises besides while names and types are read: text that is no UTF-8, types that NumPy has not."""


@dataclass(frozen=True)
class Layout:
    """The table is the array ``name`` of this ``shape``; its rows have the ``labels``, if any."""

    name: str
    shape: tuple[int, ...]
    columns: list[str]
    labels: np.ndarray | None
    image_shape: tuple[int, int, int] | None


@contextlib.contextmanager
def opened(path: Path) -> Iterator[h5py.File]:
    """The file for reading; what HDF5 cannot read in the block is an error that names the file."""
    with (
        reading(path, "an HDF5 file", *H5PY_ERRORS),
        hdf5.opened(path, "dataset", repair=OWN_REPAIR)
        if is_sealed(path)
        else h5py.File(path, "r", locking=False) as file,
    ):
        if _is_ours(file) and not is_sealed(path):
            raise UserError(
                f"{path} is a dataset of this program without its checksum: damaged, or of an earlier version. "
                f"{OWN_REPAIR}"
            )
        yield file


def layout(file: h5py.File, path: Path, wanted: str | None) -> Layout:
    """Where the array ``wanted`` of the file is; by default ``X``, ``train/x``, or the only one there is."""
    with reading(path, "an HDF5 file", *LAYOUT_ERRORS):
        return _layout(file, path, wanted)


def _layout(file: h5py.File, path: Path, wanted: str | None) -> Layout:
    name, shape = _array(file, path, wanted)
    if isinstance(file[name], h5py.Group):
        _check_parts(file[name], path)
    else:
        _check_size(file[name], path)
    images = image_shape(shape, f"{path}:{name}")
    n_columns, columns, labels = math.prod(shape[1:]), None, None
    if _is_ours(file):
        facts = hdf5.about(file, "facts") if "facts" in file.attrs else {}
        images = tuple(facts.get("image_shape", ())) or None
    elif _is_anndata(file):
        if name == "X":
            _check_lengths(file, path, shape)
        columns, labels = _names(file, "var", n_columns), _names(file, "obs", shape[0])
    columns = position_names(n_columns) if columns is None else list(columns)
    return Layout(name, shape, columns, labels, images)


def _array(file: h5py.File, path: Path, wanted: str | None) -> tuple[str, tuple[int, ...]]:
    """Name and shape of the array to read."""
    found: dict[str, tuple[int, ...]] = {}
    others: list[str] = []

    def visit(name: str | bytes, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(name, bytes):
            others.append(repr(name))  # No UTF-8: nobody can ask for it.
        elif isinstance(item, h5py.Group):
            if str(item.attrs.get("encoding-type")) in SPARSE:
                found[name] = _sparse_shape(item, path)
        elif isinstance(item, h5py.Dataset):
            if not _holds_numbers(item):
                return
            (others.append(name) if item.ndim < 2 else found.update({name: item.shape}))

    file.visititems(visit)
    default = None
    if _is_ours(file):
        # What else a dataset of ours holds is the truth.
        found = {name: shape for name, shape in found.items() if name.endswith("/x")}
        default = "train/x"
    elif _is_anndata(file):
        default = "X"
    elif len(found) == 1:
        default = next(iter(found))
    name = (wanted or default or "").strip("/")
    if name in found:
        return name, found[name]
    held = ", ".join(f"{each} {shape}" for each, shape in found.items())
    if not held:
        raise UserError(
            f"{path} holds no array (rows, columns) of numbers, only {', '.join(others) or 'others'}"
        )
    reason = f"has no array {name!r}" if name else "holds several arrays"
    raise UserError(f"{path} {reason}: choose one with --array; it holds {held}")


def _holds_numbers(item: h5py.Dataset) -> bool:
    try:
        return item.dtype.kind in "biuf"
    except (TypeError, ValueError):
        # HDF5 has types, as those of times, that NumPy has not; another array may be the one that is wanted.
        return False


def _sparse_shape(group: h5py.Group, path: Path) -> tuple[int, ...]:
    """(rows, columns) of a sparse matrix."""
    shape = np.asarray(group.attrs["shape"])
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
        raise UserError(
            f"{path}: the sparse matrix {group.name} is damaged (its shape is {shape.tolist()}): write it anew"
        )
    return tuple(map(int, shape))


def _check_parts(group: h5py.Group, path: Path) -> None:
    for name in SPARSE_PARTS:
        part = group[name]
        kinds = "biuf" if name == "data" else "iu"
        if not isinstance(part, h5py.Dataset) or part.ndim != 1 or part.dtype.kind not in kinds:
            raise UserError(
                f"{path}: the sparse matrix {group.name} is damaged ({name!r} is no list of numbers): write it anew"
            )


def _check_size(array: h5py.Dataset, path: Path) -> None:
    """An error where the file cannot hold the array: HDF5 would give zeros for years."""
    elsewhere = array.is_virtual or array.external
    if not elsewhere and math.prod(array.shape) > MOST_PACKED * path.stat().st_size:
        raise UserError(
            f"{path}:{array.name} has shape {array.shape}, for which the file is far too small: it is damaged, or "
            "was not written to its end"
        )


def _check_lengths(file: h5py.File, path: Path, shape: tuple[int, ...]) -> None:
    """An error where ``X`` has not a row for each name in ``obs`` and a column for each in ``var``."""
    for axis, count, what in (("obs", shape[0], "rows"), ("var", math.prod(shape[1:]), "columns")):
        names = _names_of(file, axis)
        if names is not None and names.shape != (count,):
            raise UserError(
                f"{path} is damaged: X has {count} {what}, and the names of {axis} have shape {names.shape}. Take it "
                "from where you have it whole, or write it anew"
            )


def _names_of(file: h5py.File, axis: str) -> h5py.Dataset | None:
    """Where AnnData keeps the names of the rows (``obs``) or columns (``var``)."""
    group = file.get(axis)
    if not isinstance(group, h5py.Group):
        return None
    names = group.get(str(group.attrs.get("_index", "_index")))
    if isinstance(names, h5py.Group):
        names = names.get("values")  # Beside a mask of the missing ones.
    return names if isinstance(names, h5py.Dataset) else None


def _names(file: h5py.File, axis: str, count: int) -> np.ndarray | None:
    """The names AnnData gives the rows or columns; None where it has not as many: they are of another array."""
    names = _names_of(file, axis)
    if names is None or names.shape != (count,):
        return None
    if names.dtype.itemsize > LONGEST_NAME:
        size = names.dtype.itemsize
        raise UserError(
            f"{file.filename}: the names in {names.name} are damaged ({size} bytes each): write it anew"
        )
    return names.asstr()[:] if h5py.check_string_dtype(names.dtype) else names[:].astype(str).astype(object)


def _is_ours(file: h5py.File) -> bool:
    return str(file.attrs.get("format")) == hdf5.FORMAT


def _is_anndata(file: h5py.File) -> bool:
    return "X" in file and ("var" in file or "obs" in file)
