"""Parquet, a row group at a time."""

import contextlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdgmm.errors import UserError
from pdgmm.own_data.options import ReadOptions
from pdgmm.own_data.source import Source, block_rows, picked, reading


def open_parquet(path: Path, options: ReadOptions) -> Source:
    """The table of a Parquet file; an index that pandas stored in it labels the rows."""
    with _opened(path) as file:
        schema = file.schema_arrow
        n_rows = file.metadata.num_rows
    pandas_says = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    stored = [name for name in pandas_says.get("index_columns", []) if name in schema.names]
    index = stored[0] if len(stored) == 1 else None
    notes = (f"Column {index!r}, the index that pandas stored, labels the rows.",) if index else ()
    return Source(path, list(schema.names), n_rows, partial(_frames, path), index, notes=notes)


def _frames(path: Path, rows: np.ndarray | None, columns: list[str]) -> Iterator[pd.DataFrame]:
    with _opened(path) as file:
        begin = 0
        # One thread, no read-ahead: else whole row groups of all columns wait in memory.
        for batch in file.iter_batches(block_rows(len(columns)), columns=columns, use_threads=False):
            pick = picked(rows, begin, begin + len(batch))
            begin += len(batch)
            if rows is None or len(pick):
                yield batch.to_pandas(ignore_metadata=True).iloc[pick]


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise UserError(f"{path}: Parquet needs pyarrow; pip install pyarrow") from error
    with (
        reading(path, "a Parquet file", pyarrow.ArrowException, OSError),
        ParquetFile(path, pre_buffer=False) as file,
    ):
        yield file
