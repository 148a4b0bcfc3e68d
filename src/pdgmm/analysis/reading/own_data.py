"""A data file as an array to fit, without what cannot be used."""

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.array_files import open_h5ad, open_hdf5, open_images, open_npy, open_npz
from pdgmm.analysis.reading.domain_labels import Domains, label_texts, numbered
from pdgmm.analysis.reading.source import Source, chosen_columns, reading
from pdgmm.analysis.reading.table_values import (
    complete_rows,
    numbers,
    single_precision,
    without_empty,
)
from pdgmm.analysis.reading.tabular_files import open_parquet, open_text
from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError
from pdgmm.seeds import child_generator

READERS: dict[str, Callable[[Path, ReadOptions], Source]] = {
    ".csv": open_text,
    ".csv.gz": open_text,
    ".tsv": open_text,
    ".tsv.gz": open_text,
    ".txt": open_text,
    ".parquet": open_parquet,
    ".npy": open_npy,
    ".npz": open_npz,
    ".h5": open_hdf5,
    ".hdf5": open_hdf5,
    ".h5ad": open_h5ad,
}
"""The catalogue of readers, one line a suffix."""

MOST_VALUES = 2**30
"""Values held in memory, 4 GiB: of wide files fewer rows are read."""

FEW_ROWS = 500
DIGITS_KEPT = 1000
"""A column's range should be this many steps of single precision at least."""


class OwnData(NamedTuple):
    """Observations ``values`` (rows, columns), float32, unscaled.

    ``columns`` are those of ``values``. ``index`` (rows,) labels the rows: the column ``index_name``, or for None
    their numbers in the file, from 0. ``image_shape`` is (height, width, channels) where a row is an image.
    ``domains`` are those of the rows, where a column was said to name them.
    """

    values: np.ndarray
    columns: tuple[str, ...]
    index: np.ndarray
    index_name: str | None
    image_shape: tuple[int, int, int] | None
    rows_in_file: int
    notes: tuple[str, ...]
    domains: Domains | None = None


def read(path: Path | str, options: ReadOptions | None = None, domain_column: str | None = None) -> OwnData:
    """The data at ``path``; of a file with more than ``options.max_rows`` rows, a random sample in its order.

    The ``domain_column`` says the domain of every row, and is not among the data.
    """
    path, options = Path(path), options or ReadOptions()
    source = open_source(path, options)
    if source.n_rows == 1:
        raise UserError(f"{path} has one row only: give one row a sample, and some hundreds of them")
    choice = chosen_columns(source, options, domain_column)
    columns, notes = choice.columns, list(source.notes)
    sampled = _sampled_rows(source, len(columns), options, notes)
    rows = np.arange(source.n_rows) if sampled is None else sampled
    values = np.empty((len(rows), len(columns)), np.float32)
    labels, texts, done = [], [], 0
    lowest, highest = np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
    for frame in source.frames(sampled, choice.all):
        block = numbers(frame[columns], path)
        here = slice(done, done + len(block))
        done = here.stop
        if done > len(rows):
            break
        lowest = np.fmin(lowest, np.fmin.reduce(block, axis=0))
        highest = np.fmax(highest, np.fmax.reduce(block, axis=0))
        values[here] = single_precision(block, columns, path, rows[here])
        if choice.index is not None:
            labels.append(frame[choice.index].to_numpy(object))
        if choice.domain is not None:
            texts.append(label_texts(frame[choice.domain], path, rows[here]))
    if done != len(rows):
        raise UserError(
            f"{path} is damaged: of {len(rows)} rows that it should have it has "
            f"{'more' if done > len(rows) else done}. Take it from where you have it whole"
        )
    index = np.concatenate(labels) if labels else rows
    _note_coarse(columns, lowest, highest, notes)
    if source.image_shape is None:
        values, columns = without_empty(values, columns, path, notes)
    kept = complete_rows(values, rows, columns, options.missing, path, notes)
    values, index = values[kept], index[kept]
    if source.image_shape is None:
        useful = _useful_columns(values, columns, notes)
        if not useful:
            raise UserError(f"{path}: every column is constant: there is nothing to learn, check the file")
        if len(useful) < len(columns):
            values, columns = values[:, useful], [columns[at] for at in useful]
    n_rows, n_columns = values.shape
    if n_rows < FEW_ROWS:
        notes.append(
            f"{n_rows} rows are few. Below {FEW_ROWS} at best a handful of latents in a nearly linear "
            "mixing can be found, and another sample may give others."
        )
    if n_rows < n_columns:
        notes.append(
            f"There are fewer rows ({n_rows}) than columns ({n_columns}): at most {n_rows - 1} directions "
            "can be told apart."
        )
    domains = numbered(np.concatenate(texts)[kept]) if texts else None
    about = (choice.index, source.image_shape, source.n_rows, tuple(notes), domains)
    return OwnData(values, tuple(columns), index, *about)


def open_source(path: Path, options: ReadOptions) -> Source:
    """The table at ``path``, by the reader of its suffix; a folder is one of images."""
    with reading(path, "a file or folder", OSError):
        if not path.exists():
            raise UserError(f"{path} does not exist: check the path")
    if path.is_dir():
        reader = open_images
    else:
        name = path.name.lower()
        reader = next((READERS[suffix] for suffix in READERS if name.endswith(suffix)), None)
        if reader is None:
            raise UserError(
                f"{path}: files ending in {path.suffix or 'nothing'!r} are not read; "
                f"save it as one of {', '.join(READERS)}, or give a folder of images"
            )
        if path.stat().st_size == 0:
            raise UserError(f"{path} is empty (0 bytes): write it again, or check the path")
    source = reader(path, options)
    if twice := [name for name, times in Counter(source.columns).items() if times > 1]:
        raise UserError(f"{path}: columns with the same name: {first_few(map(repr, twice))}; rename them")
    if source.n_rows == 0:
        raise UserError(f"{path} has no rows: check that it was written to its end")
    return source


def _sampled_rows(source: Source, width: int, options: ReadOptions, notes: list[str]) -> np.ndarray | None:
    """Sorted numbers of the rows to read, drawn without replacement; None: all."""
    most = min(options.max_rows, max(2, MOST_VALUES // width))
    if source.n_rows <= most:
        return None
    notes.append(f"{most} of the {source.n_rows} rows were drawn at random.")
    generator = child_generator(options.seed, "own data", "rows")
    return np.sort(generator.choice(source.n_rows, most, replace=False, shuffle=False))


def _note_coarse(columns: list[str], lowest: np.ndarray, highest: np.ndarray, notes: list[str]) -> None:
    """Tell of columns that vary little around a large number, as times in seconds since 1970 do."""
    with np.errstate(invalid="ignore"):  # A column without values has infinite bounds.
        step = np.spacing(np.maximum(np.abs(lowest), np.abs(highest)).astype(np.float32))
    coarse = np.flatnonzero((highest > lowest) & (highest - lowest < DIGITS_KEPT * step))
    if len(coarse):
        names = first_few(repr(columns[at]) for at in coarse)
        notes.append(
            f"Of {names} hardly anything is left in single precision: subtract a constant from it first."
        )


def _useful_columns(values: np.ndarray, columns: list[str], notes: list[str]) -> list[int]:
    """Positions of the columns of ``values`` (rows, columns) that are not constant and no copies."""
    constant = values.min(axis=0) == values.max(axis=0)
    if constant.any():
        names = first_few(f"{columns[at]!r} ({values[0, at]:g})" for at in np.flatnonzero(constant))
        notes.append(f"{constant.sum()} constant columns were left out: {names}.")
    kept: dict[bytes, int] = {}
    copies = []
    for at in np.flatnonzero(~constant):
        # Plus 0: the two zeros are one number.
        digest = hashlib.sha256(values[:, at] + np.float32(0)).digest()
        if digest in kept:
            copies.append(f"{columns[at]!r} (the same as {columns[kept[digest]]!r})")
        kept.setdefault(digest, int(at))
    if copies:
        notes.append(f"{len(copies)} duplicate columns were left out: {first_few(copies)}.")
    return list(kept.values())
