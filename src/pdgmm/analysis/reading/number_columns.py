"""Columns of a block as numbers, and words on those that are none."""

from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api import types

from pdgmm.analysis.wording import first_few
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
    examples, labels, hint = [], None, ""
    for name in text:
        held = frame[name].dropna().astype(str)
        words = held[pd.to_numeric(held, errors="coerce").isna()]
        example = f"for example {(held if words.empty else words).iloc[0]!r}"
        examples.append(f"{name!r} ({'mostly numbers, but ' * (len(words) < len(held) / 2)}{example})")
        if labels is None and 1 < len(held) == held.nunique() and len(words) > len(held) / 2:
            labels = name
    if labels is not None:
        hint = f"; {labels!r} differs in every row: if it labels them, --index-column {labels!r}"
    return UserError(
        f"{path}: columns that hold no numbers: {first_few(examples)}. Leave them out with --drop-columns, or name "
        f"the others with --columns{hint}"
    )
