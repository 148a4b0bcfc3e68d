"""Parquet, a row group at a time."""

import contextlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source, block_rows, listed, picked, reading
from pdgmm.errors import UserError


def open_parquet(path: Path, options: ReadOptions) -> Source:
    """The table of a Parquet file; an index that pandas stored in it labels the rows."""
    with _opened(path) as file:
        schema = file.schema_arrow
        names = list(schema.names)
        n_rows = file.metadata.num_rows
        if n_rows < 0:
            raise _miscounted(path, n_rows, "others")
    stored = [name for name in _pandas_index(path, schema.metadata or {}) if name in names]
    index = stored[0] if len(stored) == 1 else None
    notes = (f"Column {index!r}, the index that pandas stored, labels the rows.",) if index else ()
    return Source(path, names, n_rows, partial(_frames, path, n_rows), index, notes=notes)


def _pandas_index(path: Path, metadata: dict[bytes, bytes]) -> list[Any]:
    """The columns that pandas says are its index; ranges among them are no columns but dicts."""
    with reading(path, "a Parquet file of pandas", ValueError, RecursionError):
        says = json.loads(metadata.get(b"pandas", b"{}"))
    index = says.get("index_columns", []) if isinstance(says, dict) else None
    if not isinstance(index, list):
        raise UserError(
            f"{path}: what pandas noted in it is damaged ('index_columns' is no list): write it anew"
        )
    return index


def _frames(path: Path, n_rows: int, rows: np.ndarray | None, columns: list[str]) -> Iterator[pd.DataFrame]:
    with _opened(path) as file:
        _refuse_nested(path, file.schema_arrow, columns)
        begin = 0
        # One thread, no read-ahead: else whole row groups of all columns wait in memory.
        for batch in file.iter_batches(block_rows(len(columns)), columns=columns, use_threads=False):
            pick = picked(rows, begin, begin + len(batch))
            begin += len(batch)
            if begin > n_rows:
                break
            if rows is None or len(pick):
                # Else text that is no UTF-8 is noticed long after, when a label is looked at.
                batch.validate(full=True)
                # What pandas noted is of no use here, and may be damaged.
                yield batch.replace_schema_metadata(None).to_pandas().iloc[pick]
        if begin != n_rows:
            raise _miscounted(path, n_rows, "more" if begin > n_rows else str(begin))


def _miscounted(path: Path, n_rows: int, found: str) -> UserError:
    return UserError(
        f"{path} is damaged: it says it has {n_rows} rows and has {found}. Take it from where you have it whole, or "
        "write it anew"
    )


def _refuse_nested(path: Path, schema: Any, columns: list[str]) -> None:
    """An error where one of the ``columns`` holds lists or records, not one number a row."""
    from pyarrow import types

    nested = [repr(name) for name in columns if types.is_nested(schema.field(name).type)]
    if nested:
        raise UserError(
            f"{path}: columns with several values in a row (lists or records): {listed(nested)}. Leave them out with "
            "--drop-columns, or name the others with --columns"
        )


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise UserError(f"{path}: Parquet needs pyarrow; pip install pyarrow") from error
    with (
        # Names of columns that are no UTF-8 are noticed when they are asked for.
        reading(path, "a Parquet file", pyarrow.ArrowException, OSError, UnicodeDecodeError),
        ParquetFile(path, pre_buffer=False) as file,
    ):
        yield file
