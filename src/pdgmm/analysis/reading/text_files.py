"""Comma-, semicolon-, tab- or blank-separated text, with or without a header."""

import csv
import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source, block_rows, picked, position_names, reading
from pdgmm.errors import UserError

SEPARATORS = (",", "\t", ";", "|")
BLANKS = r"\s+"
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
NO_VALUE = {"", "na", "nan", "n/a", "null", "none"}
UNREADABLE = (UnicodeDecodeError, OSError, EOFError, zlib.error)
"""What opening and unpacking a text file may raise."""

LOOKED_AT = 100
"""Rows that tell how the text is laid out."""


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out. ``unnamed_first``: its header names every column but the first."""

    names: list[str]
    separator: str
    decimal: str
    header: bool
    unnamed_first: bool
    notes: tuple[str, ...]


def open_text(path: Path, options: ReadOptions) -> Source:
    """The table of a text file; row labels without a name in its first column are recognised."""
    with reading(path, "UTF-8 text", *UNREADABLE, csv.Error):
        layout = _layout(path, options)
    n_rows, labels = _first_column(path, layout)
    notes, index = layout.notes, None
    if labels and len(layout.names) > 1:
        index = layout.names[0]
        notes += (f"The first column ({index!r}), which has no name, labels the rows.",)
    return Source(path, layout.names, n_rows, partial(_frames, path, layout), index, notes=notes)


def _layout(path: Path, options: ReadOptions) -> Layout:
    rows, separator = max((_rows(path, each) for each in SEPARATORS), key=lambda found: _fit(found[0]))
    if _fit(rows) <= 1:
        blank = _rows(path, BLANKS)
        rows, separator = blank if _fit(blank[0]) > 1 else (rows, separator)
    if not rows:
        raise UserError(f"{path} is empty: write it anew, or check the path")
    if any("\0" in field for field in rows[0]):
        raise UserError(f"{path} holds no text: check that its suffix is right, or save it as UTF-8 text")
    first, second = rows[0], rows[min(1, len(rows) - 1)]
    header = _is_header(first, second) if options.header is None else options.header
    notes = []
    if not header:
        names = position_names(len(first))
        notes.append(
            "The file has no header: its columns are called x1, x2, … (--header if line 1 names them)."
        )
    else:
        names = [name.strip() for name in first]
        if len(second) == len(names) + 1:
            # R leaves the name of the row labels out; others end each line with a separator.
            names = [*names, ""] if second[-1] == "" else ["", *names]
    if len(second) > len(names):
        raise UserError(
            f"{path}: its first line has {len(first)} fields and the next {len(second)}: "
            "delete what stands above the table"
        )
    unnamed_first = header and names[0] in ("", "Unnamed: 0")
    names = [name or f"x{number}" for number, name in enumerate(names, 1)]
    data = [field.strip() for row in rows[header:] for field in row]
    comma = (
        separator != "," and any(map(DECIMAL_COMMA.fullmatch, data)) and not any("." in each for each in data)
    )
    if comma:
        notes.append("The comma was read as decimal point.")
    return Layout(names, separator, "," if comma else ".", header, unnamed_first, tuple(notes))


def _rows(path: Path, separator: str) -> tuple[list[list[str]], str]:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        if separator == BLANKS:
            found = [line.split() for line in islice(file, LOOKED_AT)]
        else:
            found = list(islice(csv.reader(file, delimiter=separator), LOOKED_AT))
    return [row for row in found if row], separator


def _fit(rows: list[list[str]]) -> float:
    """How well a separator fits: the number of fields, if the first two rows agree in it.

    A header that is one short is nearly as good; any other difference is better than no separator at all.
    """
    if len(rows) < 2:
        return len(rows[0]) if rows else 0
    more = len(rows[1]) - len(rows[0])
    return {0: len(rows[1]), 1: len(rows[1]) - 0.5}.get(more, 1.5)


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


def _chunks(path: Path, layout: Layout, rows: int, **more) -> Iterator[pd.DataFrame]:
    with (
        reading(path, "a table of text", *UNREADABLE, pd.errors.ParserError, pd.errors.EmptyDataError),
        pd.read_csv(
            path,
            sep=layout.separator,
            decimal=layout.decimal,
            header=0 if layout.header else None,
            names=layout.names,
            index_col=False,
            encoding="utf-8-sig",
            low_memory=False,
            chunksize=rows,
            **more,
        ) as chunks,
    ):
        yield from chunks


def _first_column(path: Path, layout: Layout) -> tuple[int, bool]:
    """How many rows there are, and whether the first column labels them."""
    if len(set(layout.names)) < len(layout.names):
        return 1, False  # An error in any case.
    n_rows, parts = 0, []
    for chunk in _chunks(path, layout, 2**20, usecols=[0]):
        n_rows += len(chunk)
        if layout.unnamed_first or not layout.header:
            parts.append(chunk.iloc[:, 0])
    if not parts:
        return n_rows, False
    first = pd.concat(parts)
    whole = pd.api.types.is_integer_dtype(first)
    if layout.unnamed_first:
        return n_rows, not pd.api.types.is_numeric_dtype(first) or (whole and first.is_unique)
    return n_rows, bool(whole and n_rows > 1 and (np.diff(first) == 1).all())


def _frames(
    path: Path, layout: Layout, rows: np.ndarray | None, columns: list[str]
) -> Iterator[pd.DataFrame]:
    # All columns are parsed: told of some, pandas lets lines with too many fields pass.
    begin = 0
    for chunk in _chunks(path, layout, block_rows(len(layout.names))):
        pick = picked(rows, begin, begin + len(chunk))
        begin += len(chunk)
        if rows is None or len(pick):
            yield chunk.iloc[pick]
