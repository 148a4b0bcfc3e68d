"""Tables: comma-, semicolon-, tab- or blank-separated text with or without a header, and Parquet."""

import contextlib
import csv
import gzip
import re
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.source import Source, block_rows, picked_blocks, position_names, reading
from pdgmm.errors import UserError

BLANKS = r"\s+"
SEPARATORS = (",", "\t", ";", "|", BLANKS)
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
NO_VALUE = {"", "na", "nan", "n/a", "null", "none"}
TEXT_ERRORS = (ValueError, OSError, EOFError, zlib.error, csv.Error)
"""What opening, unpacking and parsing a text file may raise; those of pandas are ``ValueError``."""

LOOKED_AT = 100
"""Rows that tell how the text is laid out."""


class Layout(NamedTuple):
    """How a text file is laid out: ``parsing`` is for pandas, ``named`` says that the first column has a name."""

    names: list[str]
    parsing: dict[str, Any]
    named: bool
    notes: tuple[str, ...]


def open_text(path: Path, options: ReadOptions) -> Source:
    """The table of a text file; row labels without a name in its first column are recognised."""
    with reading(path, "UTF-8 text", *TEXT_ERRORS):
        layout = _layout(path, options)
    n_rows, labels = _first_column(path, layout)
    notes, index = layout.notes, None
    if labels and len(layout.names) > 1:
        index = layout.names[0]
        notes += (f"The first column ({index!r}), which has no name, labels the rows.",)

    def frames(rows: np.ndarray | None, _: list[str]) -> Iterator[pd.DataFrame]:
        # All columns are parsed: told of some, pandas lets lines with too many fields pass.
        for chunk, pick in picked_blocks(_chunks(path, layout, block_rows(len(layout.names))), rows):
            yield chunk.iloc[pick]

    return Source(path, layout.names, n_rows, frames, index, notes=notes)


def open_parquet(path: Path, options: ReadOptions) -> Source:
    """The table of a Parquet file; an index that pandas stored in it labels the rows."""
    with _opened_parquet(path) as file:
        schema = file.schema_arrow
        names = list(schema.names)
        # Ranges among the columns of the index are dicts.
        stored = [name for name in (schema.pandas_metadata or {}).get("index_columns", []) if name in names]
        n_rows = file.metadata.num_rows
    index = stored[0] if len(stored) == 1 else None
    notes = (f"Column {index!r}, the index that pandas stored, labels the rows.",) if index else ()

    def frames(rows: np.ndarray | None, columns: list[str]) -> Iterator[pd.DataFrame]:
        with _opened_parquet(path) as file:
            # One thread, no read-ahead: else whole row groups of all columns wait in memory.
            batches = file.iter_batches(block_rows(len(columns)), columns=columns, use_threads=False)
            for batch, pick in picked_blocks(batches, rows):
                # Else text that is not UTF-8 is noticed long after, when a label is looked at.
                batch.validate(full=True)
                # What pandas noted is of no use here, and may be damaged.
                yield batch.replace_schema_metadata(None).to_pandas().iloc[pick]

    return Source(path, names, n_rows, frames, index, notes=notes)


def _layout(path: Path, options: ReadOptions) -> Layout:
    """Separator, names and decimal point, as the first rows show them."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        lines = [line for line in islice(file, LOOKED_AT) if line.strip()]
    if not lines or "\0" in lines[0]:
        raise UserError(
            f"{path} holds no text: write it again as UTF-8 text, or check the path and its suffix"
        )
    separator = max(SEPARATORS, key=lambda each: _fit(_fields(lines[:2], each), each))
    rows = _fields(lines, separator)
    first, second = rows[0], rows[min(1, len(rows) - 1)]
    header = _is_header(first, second) if options.header is None else options.header
    notes: tuple[str, ...] = ()
    if header:
        names = [name.strip() for name in first]
        if len(second) == len(names) + 1:
            # R leaves the name of the row labels out; others end each line with a separator.
            names = [*names, ""] if second[-1] == "" else ["", *names]
    else:
        names = position_names(len(first))
        notes += (
            "The file has no header: its columns are called x1, x2, … (--header if line 1 names them).",
        )
    if len(second) > len(names):
        counts = f"its first line has {len(first)} fields and the next {len(second)}"
        raise UserError(f"{path}: {counts}: delete what is above the table")
    data = [field.strip() for row in rows[header:] for field in row]
    comma = separator != "," and any(map(DECIMAL_COMMA.fullmatch, data)) and "." not in "".join(data)
    notes += ("The comma was read as decimal point.",) if comma else ()
    parsing = {"sep": separator, "decimal": "," if comma else ".", "header": 0 if header else None}
    named = header and names[0] not in ("", "Unnamed: 0")
    return Layout([name or f"x{number}" for number, name in enumerate(names, 1)], parsing, named, notes)


def _fields(lines: list[str], separator: str) -> list[list[str]]:
    if separator == BLANKS:
        return [line.split() for line in lines]
    return [row for row in csv.reader(lines, delimiter=separator) if row]


def _fit(rows: list[list[str]], separator: str) -> float:
    """How well a separator fits: the number of fields, if the first two rows agree in it.

    A header that is one short is nearly as good; any other difference is better than no separator at all. Blanks,
    which may be inside of names, separate only where nothing else does.
    """
    more = len(rows[-1]) - len(rows[0])
    fit = {0: len(rows[-1]), 1: len(rows[-1]) - 0.5}.get(more, 1.5)
    return min(fit, 1.01) if separator == BLANKS else fit


def _is_header(first: list[str], second: list[str]) -> bool:
    """Whether the first line names the columns: not all of it is numbers, or the numbers are names of pandas'."""
    fields = [field.strip() for field in first]
    numbers = [field for field in fields if NUMBER.fullmatch(field)]
    if not numbers or any(not NUMBER.fullmatch(each) and each.lower() not in NO_VALUE for each in fields):
        return True
    if fields[0] == "" and second[0] in ("0", "1"):
        return True
    # Pandas names columns 0, 1, 2, … where it was told no names.
    return len(numbers) > 2 and numbers == [str(number) for number in range(len(numbers))]


def _chunks(path: Path, layout: Layout, rows: int, **more: Any) -> Iterator[pd.DataFrame]:
    more |= {"names": layout.names, "index_col": False, "encoding": "utf-8-sig", "low_memory": False}
    with (
        reading(path, "a table of text", *TEXT_ERRORS),
        pd.read_csv(path, chunksize=rows, **layout.parsing, **more) as chunks,
    ):
        yield from chunks


def _first_column(path: Path, layout: Layout) -> tuple[int, bool]:
    """How many rows there are, and whether the first column labels them."""
    if len(set(layout.names)) < len(layout.names):
        return 1, False  # An error in any case.
    n_rows, parts = 0, []
    for chunk in _chunks(path, layout, 2**20, usecols=[0]):
        n_rows += len(chunk)
        if not layout.named:
            parts.append(chunk.iloc[:, 0])
    if not parts:
        return n_rows, False
    first = pd.concat(parts)
    whole = pd.api.types.is_integer_dtype(first)
    if layout.parsing["header"] is None:
        return n_rows, bool(whole and n_rows > 1 and (np.diff(first) == 1).all())
    return n_rows, not pd.api.types.is_numeric_dtype(first) or bool(whole and first.is_unique)


@contextlib.contextmanager
def _opened_parquet(path: Path) -> Iterator[Any]:
    import pyarrow
    from pyarrow.parquet import ParquetFile

    # The last three: names of columns that are not UTF-8, and damaged notes of pandas.
    errors = (pyarrow.ArrowException, OSError, ValueError, TypeError, AttributeError)
    with reading(path, "a Parquet file", *errors), ParquetFile(path, pre_buffer=False) as file:
        yield file
