"""All rows of a data file, block by block, in the columns that a model was fitted to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pdgmm.analysis.reading.chosen_columns import Choice, index_column
from pdgmm.analysis.reading.file_kinds import open_source
from pdgmm.analysis.reading.missing_values import missing_error, refuse_infinite
from pdgmm.analysis.reading.number_columns import numbers
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source, listed
from pdgmm.errors import UserError


@dataclass(frozen=True)
class Block:
    """Rows ``values`` (rows, columns), float32, with their labels ``index`` (rows,)."""

    values: np.ndarray
    index: np.ndarray


@dataclass(frozen=True)
class Blocks:
    """Iterable over the blocks of a file, as often as wanted. ``index_name`` is as in :class:`OwnData`."""

    n_rows: int
    index_name: str | None
    notes: tuple[str, ...]
    _source: Source
    _choice: Choice
    _missing: str
    _means: np.ndarray | None

    def __iter__(self) -> Iterator[Block]:
        source, choice, done = self._source, self._choice, 0
        for frame in source.frames(None, choice.all):
            with np.errstate(over="ignore"):
                values = numbers(frame[choice.columns], source.path).astype(np.float32)
            refuse_infinite(values, choice.columns, source.path)
            index = np.arange(done, done + len(values))
            if choice.index is not None:
                index = frame[choice.index].to_numpy(object)
            done += len(values)
            complete = self._fill(values)
            if complete.any():
                yield Block(values[complete], index[complete])

    def _fill(self, values: np.ndarray) -> np.ndarray:
        """Which rows stay, once missing values are dealt with."""
        gaps = np.isnan(values)
        incomplete = gaps.any(axis=1)
        if self._missing == "drop" or not incomplete.any():
            return ~incomplete
        if self._missing == "error":
            raise missing_error(self._source.path, self._choice.columns, gaps.sum(axis=0), incomplete.sum())
        values[gaps] = np.broadcast_to(self._means, values.shape)[gaps]
        return np.full(len(values), True)


def blocks(
    path: Path | str,
    options: ReadOptions | None = None,
    *,
    expected_columns: Sequence[str],
    means: np.ndarray | None = None,
    image_shape: tuple[int, int, int] | None = None,
) -> Blocks:
    """All rows of ``path`` in the ``expected_columns``, in that order, whatever their order in the file.

    ``means`` (columns,), for ``missing="mean"``, and ``image_shape`` are those of the data that were fitted.
    """
    path, options = Path(path), options or ReadOptions()
    if options.missing == "mean" and means is None:
        raise ValueError("missing='mean' needs the means of the columns")
    source = open_source(path, options)
    if source.image_shape != image_shape:
        raise UserError(
            f"{path} holds {_kind(source.image_shape)}, the model was fitted to {_kind(image_shape)}"
        )
    columns = list(expected_columns)
    there = set(source.columns)
    lacking = [repr(name) for name in columns if name not in there]
    if lacking:
        raise UserError(
            f"{path} lacks columns that the model was fitted to: {listed(lacking)}; "
            f"it has {listed(map(repr, source.columns))}"
        )
    choice = Choice(columns, index_column(source, options, columns))
    used, notes = set(choice.all), source.notes
    extra = [repr(name) for name in source.columns if name not in used]
    if extra:
        notes += (f"{len(extra)} columns that the model does not know were ignored: {listed(extra)}.",)
    return Blocks(source.n_rows, choice.index, notes, source, choice, options.missing, means)


def _kind(image_shape: tuple[int, int, int] | None) -> str:
    return "a table" if image_shape is None else "images of {} x {} pixels, {} channels".format(*image_shape)
