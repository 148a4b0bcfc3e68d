"""What every reader gives: a table that is read block by block, never as a whole; and the columns wanted of it."""

import contextlib
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError
from pdgmm.store.file_messages import cannot_be_read

BLOCK_VALUES = 2**20
"""Values read at a time; at 8 bytes each this is 8 MB."""


@dataclass(frozen=True)
class Source:
    """A table in a file.

    ``frames(rows, columns)`` gives blocks, in the file's order, with at least the ``columns`` asked for; ``rows`` are
    sorted row numbers from 0, None means all. ``index_column`` is the column that was recognised as row labels.
    """

    path: Path
    columns: list[str]
    n_rows: int
    frames: Callable[[np.ndarray | None, list[str]], Iterator[pd.DataFrame]]
    index_column: str | None = None
    image_shape: tuple[int, int, int] | None = None
    notes: tuple[str, ...] = ()

    def known(self, name: str) -> str:
        """The name of one of the columns; another one is an error."""
        if name not in self.columns:
            near = difflib.get_close_matches(name, self.columns, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            held = first_few(map(repr, self.columns), 20)
            raise UserError(f"{self.path}: column {name!r} is unknown; {hint}the file has {held}")
        return name


class Choice(NamedTuple):
    """Names of the data columns, in the file's order, and of the row labels and the domains, if there are any."""

    columns: list[str]
    index: str | None
    domain: str | None = None

    @property
    def all(self) -> list[str]:
        """The row labels and the domains, then the data."""
        labels = dict.fromkeys(name for name in (self.index, self.domain) if name is not None)
        return [*labels, *self.columns]


def chosen_columns(source: Source, options: ReadOptions, domain: str | None = None) -> Choice:
    """What the user wants of the file; a name it does not have is an error. ``domain`` is no data column."""
    for name in (*(options.columns or []), *options.drop_columns, *([] if domain is None else [domain])):
        source.known(name)
    if source.image_shape and (options.columns or options.drop_columns):
        raise UserError(f"{source.path} holds images, and of images all pixels are read: leave out --columns")
    index = index_column(source, options, [*(options.columns or []), domain])
    wanted = set(source.columns if options.columns is None else options.columns)
    wanted -= {*options.drop_columns, index, domain}
    left = [name for name in source.columns if name in wanted]
    if not left:
        raise UserError(
            f"{source.path}: no column is left of {len(source.columns)}; choose fewer to leave out"
        )
    return Choice(left, index, domain)


def index_column(source: Source, options: ReadOptions, data: Sequence[str | None]) -> str | None:
    """The column of row labels: named by the user, or recognised and not wanted as ``data``."""
    wanted = options.index_column
    if wanted is None:
        found = source.index_column
        return None if found in data or found in options.drop_columns else found
    if wanted not in source.columns and str(wanted).isdecimal() and 1 <= int(wanted) <= len(source.columns):
        return source.columns[int(wanted) - 1]
    return source.known(str(wanted))


def picked(rows: np.ndarray | None, begin: int, end: int) -> np.ndarray | slice:
    """Which of the sorted ``rows`` lie in [begin, end), counted from ``begin``; all of them for None."""
    if rows is None:
        return slice(None)
    first, last = np.searchsorted(rows, [begin, end])
    return rows[first:last] - begin


def picked_blocks(blocks: Iterable[Any], rows: np.ndarray | None) -> Iterator[tuple[Any, np.ndarray | slice]]:
    """Those of the ``blocks``, of pandas or of pyarrow, that hold some of the sorted ``rows``, with these rows."""
    begin = 0
    for block in blocks:
        pick = picked(rows, begin, begin + len(block))
        begin += len(block)
        if rows is None or len(pick):
            yield block, pick


def block_rows(n_columns: int) -> int:
    """Rows in a block of a table this wide."""
    return max(1, BLOCK_VALUES // max(1, n_columns))


def position_names(count: int) -> list[str]:
    """Names of columns that have none: x1, x2, …"""
    return [f"x{number}" for number in range(1, count + 1)]


@contextlib.contextmanager
def reading(path: Path, what: str, *errors: type[Exception]) -> Iterator[None]:
    """Turns a library's ``errors`` inside the block into one that names the file and what it was taken for."""
    try:
        yield
    except UserError:
        raise
    except errors as error:
        if isinstance(error, PermissionError):
            raise UserError(cannot_be_read(path, error)) from error
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(
            f"{path} cannot be read as {what} ({reason}): check that it is whole and that its suffix is right"
        ) from error
