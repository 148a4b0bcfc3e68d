"""HDF5: arrays of any program, AnnData's .h5ad, and the datasets of this project."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pandas as pd

from pdgmm.analysis.reading.array_blocks import array_frames
from pdgmm.analysis.reading.hdf5_first_look import look_first
from pdgmm.analysis.reading.hdf5_layout import layout, opened
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source
from pdgmm.analysis.reading.sparse_frames import sparse_frames

ROW_LABELS = "obs_names"


def open_hdf5(path: Path, options: ReadOptions) -> Source:
    """The array ``options.array`` of the file; by default ``X``, ``train/x``, or the only one there is."""
    look_first(path, options.array)
    with opened(path) as file:
        found = layout(file, path, options.array)
    notes = () if found.labels is None else ("The names of the observations (obs) label the rows.",)
    index = None if found.labels is None else ROW_LABELS
    frames = partial(_frames, path, found.name, found.columns, found.labels)
    columns = ([index] if index else []) + found.columns
    return Source(path, columns, found.shape[0], frames, index, found.image_shape, notes)


def _frames(
    path: Path,
    name: str,
    names: list[str],
    labels: np.ndarray | None,
    rows: np.ndarray | None,
    columns: list[str],
) -> Iterator[pd.DataFrame]:
    with opened(path) as file:
        array, done = file[name], 0
        read = array_frames if isinstance(array, h5py.Dataset) else sparse_frames
        for frame in read(array, names, rows, columns):
            if labels is not None:
                at = slice(done, done + len(frame))
                frame.insert(0, ROW_LABELS, labels[at] if rows is None else labels[rows[at]])
            done += len(frame)
            yield frame
