"""Values that are missing or infinite: refused in words, filled in or left out."""

from pathlib import Path

import numpy as np

from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import listed
from pdgmm.errors import UserError


def missing_error(path: Path, columns: list[str], gaps: np.ndarray, n_rows: int) -> UserError:
    """``gaps`` (columns,) missing values in ``n_rows`` rows, the worst columns first."""
    return UserError(
        f"{path}: {gaps.sum()} values in {n_rows} rows are missing: {_worst(columns, gaps)}. "
        "Say --missing drop to leave out these rows, or --missing mean to put in the column's mean"
    )


def refuse_infinite(values: np.ndarray, columns: list[str], path: Path) -> None:
    """An error where ``values`` (rows, columns) are infinite in single precision."""
    infinite = np.isinf(values).sum(axis=0)
    if infinite.any():
        raise UserError(
            f"{path}: infinite values, or above 3.4e38: {_worst(columns, infinite)}. Correct them, leave them empty "
            "(missing), or leave out the column with --drop-columns"
        )


def without_empty(
    values: np.ndarray, columns: list[str], path: Path, notes: list[str]
) -> tuple[np.ndarray, list[str]]:
    """The table without columns in which every value is missing."""
    empty = np.array([np.isnan(column).all() for column in values.T])
    if empty.all():
        raise UserError(f"{path}: no column holds a value: check the file and its separator")
    if not empty.any():
        return values, columns
    names = listed(repr(columns[at]) for at in np.flatnonzero(empty))
    notes.append(f"{empty.sum()} columns without any value were left out: {names}.")
    return values[:, ~empty], [columns[at] for at in np.flatnonzero(~empty)]


def without_gaps(
    values: np.ndarray,
    index: np.ndarray,
    columns: list[str],
    options: ReadOptions,
    path: Path,
    notes: list[str],
) -> tuple[np.ndarray, np.ndarray]:
    """The table without missing values, as ``options.missing`` says."""
    gaps = np.array([np.count_nonzero(np.isnan(column)) for column in values.T])
    if not gaps.any():
        return values, index
    complete = ~np.isnan(values).any(axis=1)
    dropped = int(np.count_nonzero(~complete))
    if options.missing == "error" or gaps.max() == len(values):
        raise missing_error(path, columns, gaps, dropped)
    if options.missing == "drop":
        if complete.sum() < 2:
            raise UserError(
                f"{path}: only {complete.sum()} rows have no missing value: --missing mean keeps all"
            )
        notes.append(f"{dropped} of {len(values)} rows were left out for missing values.")
        return values[complete], index[complete]
    for at in np.flatnonzero(gaps):
        column = values[:, at]
        gap = np.isnan(column)
        column[gap] = column[~gap].mean(dtype=np.float64)
    notes.append(f"{gaps.sum()} missing values in {dropped} rows were replaced by the mean of their column.")
    return values, index


def _worst(columns: list[str], counts: np.ndarray) -> str:
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    return listed(f"{columns[at]!r} {counts[at]}" for at in order)
