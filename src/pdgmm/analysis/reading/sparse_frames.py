"""Blocks of a sparse matrix as AnnData stores it: never taken at its word."""

from collections.abc import Iterator
from typing import Any

import h5py
import numpy as np
import pandas as pd

from pdgmm.analysis.reading.source import block_begins, block_rows, picked
from pdgmm.errors import UserError


def sparse_frames(
    group: h5py.Group, names: list[str], rows: np.ndarray | None, columns: list[str]
) -> Iterator[pd.DataFrame]:
    """Dense blocks of a sparse matrix; one stored by column is held in memory, sparse."""
    from scipy.sparse import csc_array, csr_array

    n_rows = int(group.attrs["shape"][0])
    by_column = group.attrs["encoding-type"] == "csc_matrix"
    data, indices = group["data"], group["indices"]
    starts = _starts(group, len(names) if by_column else n_rows)
    if by_column:
        parts = (_values(data, slice(None)), _places(group, indices, slice(None), n_rows, "row"), starts)
        by_row = csc_array(parts, shape=(n_rows, len(names))).tocsr()
        data, indices, starts = by_row.data, by_row.indices, by_row.indptr
    step = block_rows(len(names))
    for begin in block_begins(rows, n_rows, step):
        end = min(begin + step, n_rows)
        stored = slice(int(starts[begin]), int(starts[end]))
        parts = (
            _values(data, stored),
            _places(group, indices, stored, len(names), "column"),
            starts[begin : end + 1] - starts[begin],
        )
        block = csr_array(parts, shape=(end - begin, len(names))).toarray()
        yield pd.DataFrame(block[picked(rows, begin, end)], columns=names)


def _starts(group: h5py.Group, count: int) -> np.ndarray:
    """Where each of the ``count`` rows (or columns) begins in the list of values, and where the last one ends."""
    n_values, n_places, starts = len(group["data"]), len(group["indices"]), group["indptr"]
    # Before it is read: its length may be damaged too.
    if starts.shape != (count + 1,):
        raise _damaged(
            group, f"'indptr' has {starts.shape[0]} entries, and for its shape it needs {count + 1}"
        )
    if n_values != n_places:
        raise _damaged(group, f"'data' has {n_values} entries and 'indices' {n_places}")
    starts = starts[:]
    # Compared, not subtracted: differences of large numbers turn round.
    if starts[0] != 0 or starts[-1] != n_values or (starts[1:] < starts[:-1]).any():
        raise _damaged(group, f"'indptr' does not rise from 0 to {n_values}, the number of values")
    return starts.astype(np.int64)


def _places(group: h5py.Group, indices: Any, stored: slice, count: int, what: str) -> np.ndarray:
    """The rows or columns of the ``stored`` values: SciPy would write to whatever place they name."""
    places = indices[stored]
    if len(places) and not (places.min() >= 0 and places.max() < count):
        wrong = places[(places < 0) | (places >= count)][0]
        raise _damaged(group, f"'indices' names {what} {wrong}, counted from 0, of {count}")
    return places.astype(np.int32 if count < 2**31 else np.int64, copy=False)


def _values(data: Any, stored: slice) -> np.ndarray:
    """The ``stored`` values, of a type that SciPy knows: in the machine's byte order, and of 4 bytes at least."""
    values = data[stored]
    kind = values.dtype.newbyteorder("=")
    return values.astype(np.float32 if kind == np.float16 else kind, copy=False)


def _damaged(group: h5py.Group, what: str) -> UserError:
    return UserError(
        f"{group.file.filename}: the sparse matrix {group.name} is damaged ({what}). "
        "Take the file from where you have it whole, or write it anew"
    )
