"""HDF5: arrays of any program, AnnData's .h5ad, and the datasets of this project."""

import contextlib
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pandas as pd

from pdgmm.errors import UserError
from pdgmm.own_data.array_frames import array_frames, image_shape
from pdgmm.own_data.options import ReadOptions
from pdgmm.own_data.source import Source, block_rows, picked, position_names, reading
from pdgmm.store import hdf5
from pdgmm.store.seal import is_sealed

OWN_REPAIR = (
    "Take the file from where you have it whole; data that you changed belong in a file without our checksum"
)
"""What mends a dataset of this program that a user gives as data of their own."""

SPARSE = ("csr_matrix", "csc_matrix")
ROW_LABELS = "obs_names"


def open_hdf5(path: Path, options: ReadOptions) -> Source:
    """The array ``options.array`` of the file; by default ``X``, ``train/x``, or the only one there is."""
    with _opened(path) as file:
        name = _array_name(file, path, options.array)
        array = file[name]
        shape = tuple(array.shape if isinstance(array, h5py.Dataset) else map(int, array.attrs["shape"]))
        images = image_shape(shape, f"{path}:{name}")
        n_columns, columns, labels = math.prod(shape[1:]), None, None
        if _is_ours(file):
            facts = hdf5.about(file, "facts") if "facts" in file.attrs else {}
            images = tuple(facts.get("image_shape", ())) or None
        elif _is_anndata(file):
            columns, labels = _names(file, "var", n_columns), _names(file, "obs", shape[0])
        columns = position_names(n_columns) if columns is None else list(columns)
    notes = () if labels is None else ("The names of the observations (obs) label the rows.",)
    index = None if labels is None else ROW_LABELS
    frames = partial(_frames, path, name, columns, labels)
    return Source(path, ([index] if index else []) + columns, shape[0], frames, index, images, notes)


def _frames(
    path: Path,
    name: str,
    names: list[str],
    labels: np.ndarray | None,
    rows: np.ndarray | None,
    columns: list[str],
) -> Iterator[pd.DataFrame]:
    with _opened(path) as file:
        array, done = file[name], 0
        read = array_frames if isinstance(array, h5py.Dataset) else _sparse_frames
        for frame in read(array, names, rows, columns):
            if labels is not None:
                at = slice(done, done + len(frame))
                frame.insert(0, ROW_LABELS, labels[at] if rows is None else labels[rows[at]])
            done += len(frame)
            yield frame


def _sparse_frames(
    group: h5py.Group, names: list[str], rows: np.ndarray | None, columns: list[str]
) -> Iterator[pd.DataFrame]:
    """Dense blocks of a sparse matrix; one stored by column is held in memory, sparse."""
    from scipy.sparse import csc_array, csr_array

    n_rows = int(group.attrs["shape"][0])
    data, indices, starts = group["data"], group["indices"], group["indptr"][:]
    if group.attrs["encoding-type"] == "csc_matrix":
        by_row = csc_array((data[:], indices[:], starts), shape=(n_rows, len(names))).tocsr()
        data, indices, starts = by_row.data, by_row.indices, by_row.indptr
    step = block_rows(len(names))
    for begin in range(0, n_rows, step):
        end = min(begin + step, n_rows)
        pick = picked(rows, begin, end)
        if rows is not None and len(pick) == 0:
            continue
        stored = slice(starts[begin], starts[end])
        parts = (data[stored], indices[stored], starts[begin : end + 1] - starts[begin])
        yield pd.DataFrame(csr_array(parts, shape=(end - begin, len(names))).toarray()[pick], columns=names)


def _array_name(file: h5py.File, path: Path, wanted: str | None) -> str:
    found: dict[str, tuple[int, ...]] = {}
    vectors: list[str] = []

    def visit(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Group):
            if str(item.attrs.get("encoding-type")) in SPARSE:
                found[name] = tuple(map(int, item.attrs["shape"]))
        elif item.dtype.kind in "biuf":
            (vectors.append(name) if item.ndim < 2 else found.update({name: item.shape}))

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
        return name
    held = ", ".join(f"{each} {shape}" for each, shape in found.items())
    if not held:
        raise UserError(
            f"{path} holds no array (rows, columns) of numbers, only {', '.join(vectors) or 'others'}"
        )
    reason = f"has no array {name!r}" if name else "holds several arrays"
    raise UserError(f"{path} {reason}: choose one with --array; it holds {held}")


def _names(file: h5py.File, axis: str, count: int) -> np.ndarray | None:
    """The names AnnData gives the rows (``obs``) or columns (``var``)."""
    group = file.get(axis)
    if not isinstance(group, h5py.Group):
        return None
    names = group.get(str(group.attrs.get("_index", "_index")))
    if isinstance(names, h5py.Group):
        names = names.get("values")  # Beside a mask of the missing ones.
    if not isinstance(names, h5py.Dataset) or names.shape != (count,):
        return None
    return names.asstr()[:] if h5py.check_string_dtype(names.dtype) else names[:].astype(str).astype(object)


def _is_ours(file: h5py.File) -> bool:
    return str(file.attrs.get("format")) == hdf5.FORMAT


def _is_anndata(file: h5py.File) -> bool:
    return "X" in file and ("var" in file or "obs" in file)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[h5py.File]:
    with (
        reading(path, "an HDF5 file", OSError, RuntimeError, KeyError),
        hdf5.opened(path, "dataset", repair=OWN_REPAIR) if is_sealed(path) else h5py.File(path, "r") as file,
    ):
        if _is_ours(file) and not is_sealed(path):
            raise UserError(
                f"{path} is a dataset of this program without its checksum: damaged, or of an earlier version. "
                f"{OWN_REPAIR}"
            )
        yield file
