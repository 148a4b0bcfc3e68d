"""Parquet, a row group at a time."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.source import Source, block_rows, picked_blocks, reading


def open_parquet(path: Path, options: ReadOptions) -> Source:
    """The table of a Parquet file; an index that pandas stored in it labels the rows."""
    with _opened(path) as file:
        schema = file.schema_arrow
        names = list(schema.names)
        # Ranges among the columns of the index are dicts.
        stored = [name for name in (schema.pandas_metadata or {}).get("index_columns", []) if name in names]
        n_rows = file.metadata.num_rows
    index = stored[0] if len(stored) == 1 else None
    notes = (f"Column {index!r}, the index that pandas stored, labels the rows.",) if index else ()

    def frames(rows: np.ndarray | None, columns: list[str]) -> Iterator[pd.DataFrame]:
        with _opened(path) as file:
            # One thread, no read-ahead: else whole row groups of all columns wait in memory.
            batches = file.iter_batches(block_rows(len(columns)), columns=columns, use_threads=False)
            for batch, pick in picked_blocks(batches, rows):
                # Else text that is not UTF-8 is noticed long after, when a label is looked at.
                batch.validate(full=True)
                # What pandas noted is of no use here, and may be damaged.
                yield batch.replace_schema_metadata(None).to_pandas().iloc[pick]

    return Source(path, names, n_rows, frames, index, notes=notes)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import pyarrow
    from pyarrow.parquet import ParquetFile

    # The last three: names of columns that are not UTF-8, and damaged notes of pandas.
    errors = (pyarrow.ArrowException, OSError, ValueError, TypeError, AttributeError)
    with reading(path, "a Parquet file", *errors), ParquetFile(path, pre_buffer=False) as file:
        yield file
