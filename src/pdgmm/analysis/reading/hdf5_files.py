"""HDF5: arrays of any program, and the datasets of this project."""

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pandas as pd

from pdgmm.analysis.reading.array_blocks import array_frames, chosen_array, image_shape
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source, position_names, reading
from pdgmm.store import hdf5
from pdgmm.store.seal import is_sealed

REPAIR = (
    "Take the file from where you have it whole; data that you changed belong in a file without our checksum"
)
"""What mends a dataset of this program that a user gives as data of their own."""


def open_hdf5(path: Path, options: ReadOptions) -> Source:
    """The array ``options.array`` of the file; by default ``train/x`` of our datasets, or the only one there is."""
    with _opened(path) as file:
        ours = str(file.attrs.get("format")) == hdf5.FORMAT
        shapes = _tables(file)
        if ours:
            # What else a dataset of ours holds is the truth.
            shapes = {name: shape for name, shape in shapes.items() if name.endswith("/x")}
        wanted = options.array and options.array.strip("/")
        name = chosen_array(path, shapes, wanted, "train/x" if ours else None)
        images = image_shape(shapes[name], f"{path}:{name}")
        if ours and "facts" in file.attrs:
            images = tuple(hdf5.about(file, "facts").get("image_shape", ())) or None
    columns = position_names(math.prod(shapes[name][1:]))

    def frames(rows: np.ndarray | None, _: list[str]) -> Iterator[pd.DataFrame]:
        with _opened(path) as file:
            yield from array_frames(file[name], columns, rows)

    return Source(path, columns, shapes[name][0], frames, image_shape=images)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[h5py.File]:
    """The file for reading; what HDF5 cannot read in the block is an error that names the file."""
    with reading(path, "an HDF5 file", OSError, RuntimeError, KeyError, ValueError, TypeError):
        if is_sealed(path):
            opened = hdf5.opened(path, "dataset", repair=REPAIR)
        else:
            opened = h5py.File(path, "r", locking=False)
        with opened as file:
            yield file


def _tables(file: h5py.File) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the arrays of numbers with a row per sample."""
    found = {}

    def visit(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset) and item.ndim > 1 and item.dtype.kind in "biuf":
            found[name] = item.shape

    file.visititems(visit)
    return found
