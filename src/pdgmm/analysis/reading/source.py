"""What every reader gives: a table that is read block by block, never as a whole."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from pdgmm.errors import UserError
from pdgmm.store.file_messages import cannot_be_read

BLOCK_VALUES = 2**20
"""Values read at a time; at 8 bytes each this is 8 MB."""

Block = TypeVar("Block")
"""Rows of a table, of pandas or of pyarrow."""


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


def picked(rows: np.ndarray | None, begin: int, end: int) -> np.ndarray | slice:
    """Which of the sorted ``rows`` lie in [begin, end), counted from ``begin``; all of them for None."""
    if rows is None:
        return slice(None)
    first, last = np.searchsorted(rows, [begin, end])
    return rows[first:last] - begin


def picked_blocks(
    blocks: Iterable[Block], rows: np.ndarray | None
) -> Iterator[tuple[Block, np.ndarray | slice]]:
    """Those of the ``blocks``, one after the other, that hold some of the sorted ``rows``, with these rows."""
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
