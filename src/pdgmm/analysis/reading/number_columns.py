"""Columns of a block as numbers, and words on those that are none."""

from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api import types

from pdgmm.analysis.reading.source import listed
from pdgmm.errors import UserError

NUMBERS_AS_OBJECTS = ("boolean", "integer", "floating", "mixed-integer-float", "decimal", "empty")


def numbers(frame: pd.DataFrame, path: Path) -> np.ndarray:
    """The block (rows, columns) as float64, truth values as 0 and 1, missing values as NaN."""
    kinds = frame.dtypes.to_numpy()
    # Each type once: there may be as many columns as genes.
    strange = [kind for kind in set(kinds) if not _is_number(kind)]
    foreign = [frame.columns[at] for at, kind in enumerate(kinds) if kind in strange] if strange else []
    text = [name for name in foreign if not _holds_numbers(frame[name])]
    if text:
        raise _no_numbers(frame, text, path)
    if foreign:
        frame = frame.copy()
        for name in foreign:
            frame[name] = frame[name].astype(object).astype(float)
    return frame.to_numpy(np.float64)


def _is_number(kind: np.dtype) -> bool:
    return types.is_numeric_dtype(kind) and not types.is_complex_dtype(kind)


def _holds_numbers(column: pd.Series) -> bool:
    """A column of truth values or decimals with some missing is one of Python objects."""
    return column.dtype == object and types.infer_dtype(column, skipna=True) in NUMBERS_AS_OBJECTS


def _no_numbers(frame: pd.DataFrame, text: list[str], path: Path) -> UserError:
    shown = listed(f"{name!r} ({_example(frame[name])})" for name in text)
    words = f"{path}: columns that hold no numbers: {shown}. Leave them out with --drop-columns, or name the others "
    words += "with --columns"
    labels = next((name for name in text if _looks_like_labels(frame[name])), None)
    if labels is not None:
        words += f"; {labels!r} differs in every row: if it labels them, --index-column {labels!r}"
    return UserError(words)


def _looks_like_labels(column: pd.Series) -> bool:
    return len(column) > 1 and column.is_unique and len(_strange(column)) > len(column) / 2


def _strange(column: pd.Series) -> pd.Series:
    """The values that cannot be read as numbers; missing ones are none."""
    held = column.dropna()
    return held[pd.to_numeric(held.astype(str), errors="coerce").isna()]


def _example(column: pd.Series) -> str:
    """A value that is no number, and whether it stands among numbers."""
    held, strange = column.dropna(), _strange(column)
    example = f"for example {str((held if strange.empty else strange).iloc[0])!r}"
    return f"mostly numbers, but {example}" if len(strange) < len(held) / 2 else example
