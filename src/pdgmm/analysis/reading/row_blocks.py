"""A data file block by block, in the columns of a fit."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.domain_labels import label_texts, placed
from pdgmm.analysis.reading.own_data import open_source
from pdgmm.analysis.reading.source import Choice, index_column
from pdgmm.analysis.reading.table_values import missing_error, numbers, single_precision
from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError


class RowBlocks:
    """Iterable over labels (rows,) and float32 values (rows, columns) of the blocks of a file, as often as wanted.

    The ``columns`` come in the order given here. ``means`` (columns,), for ``missing="mean"``, and ``image_shape``
    are those of the data that were fitted. ``domain`` is the column that named the domains of these data; it is only
    read by :meth:`with_domains`.
    """

    def __init__(
        self,
        path: Path,
        options: ReadOptions,
        columns: Sequence[str],
        means: np.ndarray,
        image_shape: tuple[int, int, int] | None = None,
        domain: str | None = None,
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
        self._choice = Choice(list(columns), index_column(source, options, [*columns, domain]))
        self._domain = domain
        self._missing, self._means = options.missing, means
        self.n_rows, self.index_name, self.notes = source.n_rows, self._choice.index, source.notes
        used = {*self._choice.all, domain}
        if extra := [repr(name) for name in source.columns if name not in used]:
            self.notes += (
                f"{len(extra)} columns that the model does not know were ignored: {first_few(extra)}.",
            )

    def with_domains(self, names: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """The blocks with the domains (rows,) of their rows, as places among ``names``; no other ones may come."""
        path, domain = self._source.path, self._domain
        if domain not in self._source.columns:
            raise UserError(
                f"{path} lacks the column {domain!r}: the method needs the domain of a row to encode it, one of "
                f"{first_few(map(repr, names))}; add the column"
            )
        for index, values, texts in self._blocks(Choice(self._choice.columns, self._choice.index, domain)):
            try:
                yield index, values, placed(texts, names)
            except KeyError as unknown:
                raise UserError(
                    f"{path}: domain {unknown} in column {domain!r} is not one of those that were fitted: "
                    f"{first_few(map(repr, names))}; leave its rows out, or fit it too"
                ) from None

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for index, values, _ in self._blocks(self._choice):
            yield index, values

    def _blocks(self, choice: Choice) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        path, (columns, labels, domain), done = self._source.path, choice, 0
        for frame in self._source.frames(None, choice.all):
            rows = np.arange(done, done + len(frame))
            done += len(frame)
            values = single_precision(numbers(frame[columns], path), columns, path, rows)
            index = rows if labels is None else frame[labels].to_numpy(object)
            texts = rows if domain is None else label_texts(frame[domain], path, rows)
            gaps = np.isnan(values)
            if self._missing == "error" and gaps.any():
                raise missing_error(path, columns, gaps, rows)
            if self._missing == "mean":
                values[gaps] = np.broadcast_to(self._means, values.shape)[gaps]
            complete = ~np.isnan(values).any(axis=1)
            if complete.any():
                yield index[complete], values[complete], texts[complete]


def _kind(image_shape: tuple[int, int, int] | None) -> str:
    return "a table" if image_shape is None else "images of {} x {} pixels, {} channels".format(*image_shape)
