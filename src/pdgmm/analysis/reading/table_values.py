"""Columns as numbers; values that are missing or infinite are refused in words, filled in or left out."""

from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api import types

from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError

NUMBERS_AS_OBJECTS = ("boolean", "integer", "floating", "mixed-integer-float", "decimal", "empty")
"""A column of truth values or decimals with some missing is one of Python objects."""


def numbers(frame: pd.DataFrame, path: Path) -> np.ndarray:
    """The block (rows, columns) as float64, truth values as 0 and 1, missing values as NaN."""
    kinds = frame.dtypes.to_numpy()
    # Each type once: there may be as many columns as genes.
    strange = [
        kind for kind in set(kinds) if not types.is_numeric_dtype(kind) or types.is_complex_dtype(kind)
    ]
    foreign = [frame.columns[at] for at, kind in enumerate(kinds) if kind in strange] if strange else []
    objects = [name for name in foreign if frame[name].dtype == object]
    held = {name: types.infer_dtype(frame[name], skipna=True) for name in objects}
    if text := [name for name in foreign if held.get(name) not in NUMBERS_AS_OBJECTS]:
        raise _no_numbers(frame, text, path)
    if foreign:
        frame = frame.copy()
        for name in foreign:
            frame[name] = frame[name].astype(object).astype(float)
    return frame.to_numpy(np.float64)


def _no_numbers(frame: pd.DataFrame, text: list[str], path: Path) -> UserError:
    examples, hint = [], ""
    for name in text:
        held = frame[name].dropna().astype(str)
        words = held[pd.to_numeric(held, errors="coerce").isna()]
        example = f"for example {(held if words.empty else words).iloc[0]!r}"
        examples.append(f"{name!r} ({'mostly numbers, but ' * (len(words) < len(held) / 2)}{example})")
        if not hint and 1 < len(held) == held.nunique() and len(words) > len(held) / 2:
            hint = f"; {name!r} differs in every row: if it labels them, --index-column {name!r}"
    return UserError(
        f"{path}: columns that hold no numbers: {first_few(examples)}. Leave them out with --drop-columns, or name "
        f"the others with --columns{hint}"
    )


def missing_error(path: Path, columns: list[str], gaps: np.ndarray, rows: np.ndarray) -> UserError:
    """``gaps`` (rows, columns) is True where a value is missing; ``rows`` are numbers in the file, from 0."""
    return UserError(
        f"{path}: {gaps.sum()} values in {gaps.any(axis=1).sum()} rows are missing: {_places(columns, gaps, rows)}. "
        "Say --missing drop to leave out these rows, or --missing mean to put in the column's mean"
    )


def single_precision(values: np.ndarray, columns: list[str], path: Path, rows: np.ndarray) -> np.ndarray:
    """``values`` (rows, columns) as float32; an error where they are infinite then."""
    with np.errstate(over="ignore"):
        values = values.astype(np.float32)
    infinite = np.isinf(values)
    if infinite.any():
        raise UserError(
            f"{path}: infinite values, or above 3.4e38: {_places(columns, infinite, rows)}. Correct them, leave them "
            "empty (missing), or leave out the column with --drop-columns"
        )
    return values


def without_empty(
    values: np.ndarray, columns: list[str], path: Path, notes: list[str]
) -> tuple[np.ndarray, list[str]]:
    """The table without columns in which every value is missing."""
    empty = np.array([np.isnan(column).all() for column in values.T])
    if empty.all():
        raise UserError(f"{path}: no column holds a value: check the file and its separator")
    if not empty.any():
        return values, columns
    names = first_few(repr(columns[at]) for at in np.flatnonzero(empty))
    notes.append(f"{empty.sum()} columns without any value were left out: {names}.")
    return values[:, ~empty], [columns[at] for at in np.flatnonzero(~empty)]


def complete_rows(
    values: np.ndarray, rows: np.ndarray, columns: list[str], missing: str, path: Path, notes: list[str]
) -> np.ndarray | slice:
    """Which rows of the table stay, as ``missing`` says; means are put into ``values`` where it says so."""
    counts = np.array([np.count_nonzero(np.isnan(column)) for column in values.T])
    if not counts.any():
        return slice(None)
    complete = ~np.isnan(values).any(axis=1)
    incomplete = len(values) - int(complete.sum())
    if missing == "error" or counts.max() == len(values):
        raise missing_error(path, columns, np.isnan(values), rows)
    if missing == "drop":
        if complete.sum() < 2:
            raise UserError(
                f"{path}: only {complete.sum()} rows have no missing value: --missing mean keeps all"
            )
        notes.append(f"{incomplete} of {len(values)} rows were left out for missing values.")
        return complete
    for at in np.flatnonzero(counts):
        column = values[:, at]
        gap = np.isnan(column)
        column[gap] = column[~gap].mean(dtype=np.float64)
    notes.append(
        f"{counts.sum()} missing values in {incomplete} rows were replaced by the mean of their column."
    )
    return slice(None)


def _places(columns: list[str], bad: np.ndarray, rows: np.ndarray) -> str:
    """How many there are in which column, the worst first, and where the first one is."""
    counts = bad.sum(axis=0)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    row, column = np.unravel_index(bad.argmax(), bad.shape)
    worst = first_few(f"{columns[at]!r} {counts[at]}" for at in order)
    return f"{worst} (the first in row {rows[row] + 1}, column {columns[column]!r})"
