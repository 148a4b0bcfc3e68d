"""All rows of a data file, block by block, in the columns that a model was fitted to."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.file_kinds import open_source
from pdgmm.analysis.reading.source import Choice, index_column
from pdgmm.analysis.reading.table_values import missing_error, numbers, refuse_infinite
from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError


class Block(NamedTuple):
    """Rows ``values`` (rows, columns), float32, with their labels ``index`` (rows,)."""

    values: np.ndarray
    index: np.ndarray


class RowBlocks:
    """Iterable over the blocks of a file, as often as wanted: the ``columns`` in that order, whatever the file's.

    ``means`` (columns,), for ``missing="mean"``, and ``image_shape`` are those of the data that were fitted.
    """

    def __init__(
        self,
        path: Path,
        options: ReadOptions,
        columns: Sequence[str],
        means: np.ndarray,
        image_shape: tuple[int, int, int] | None = None,
    ) -> None:
        self._source = source = open_source(path, options)
        if source.image_shape != image_shape:
            raise UserError(
                f"{path} holds {_kind(source.image_shape)}, the model was fitted to {_kind(image_shape)}"
            )
        there = set(source.columns)
        if lacking := [repr(name) for name in columns if name not in there]:
            raise UserError(
                f"{path} lacks columns that the model was fitted to: {first_few(lacking)}; "
                f"it has {first_few(map(repr, source.columns))}"
            )
        self._choice = Choice(list(columns), index_column(source, options, list(columns)))
        self._missing, self._means = options.missing, means
        self.n_rows, self.index_name, self.notes = source.n_rows, self._choice.index, source.notes
        used = set(self._choice.all)
        if extra := [repr(name) for name in source.columns if name not in used]:
            self.notes += (
                f"{len(extra)} columns that the model does not know were ignored: {first_few(extra)}.",
            )

    def __iter__(self) -> Iterator[Block]:
        path, (columns, labels), done = self._source.path, self._choice, 0
        for frame in self._source.frames(None, self._choice.all):
            with np.errstate(over="ignore"):
                values = numbers(frame[columns], path).astype(np.float32)
            rows = np.arange(done, done + len(values))
            done += len(values)
            refuse_infinite(values, columns, path, rows)
            index = rows if labels is None else frame[labels].to_numpy(object)
            gaps = np.isnan(values)
            if self._missing == "error" and gaps.any():
                raise missing_error(path, columns, gaps, rows)
            if self._missing == "mean":
                values[gaps] = np.broadcast_to(self._means, values.shape)[gaps]
            complete = ~np.isnan(values).any(axis=1)
            if complete.any():
                yield Block(values[complete], index[complete])


def _kind(image_shape: tuple[int, int, int] | None) -> str:
    return "a table" if image_shape is None else "images of {} x {} pixels, {} channels".format(*image_shape)
