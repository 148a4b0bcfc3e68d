"""Read an experiment's table back from its CSV file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from pdgmm.errors import UserError
from pdgmm.store.file_messages import quoted

NUMBERS = [
    "mean",
    "std",
    "worst",
    "chance",
    "n_ok",
    "n_failed",
    "published_mean",
    "published_std",
    "difference",
]

COLUMNS = [
    "experiment",
    "dataset",
    "train_samples",
    "method",
    "role",
    "told",
    "size",
    "reduced",
    "split",
    "metric",
    "values",
    "failures",
    "published_method",
    "published_table",
    "same_method",
    "verdict",
] + NUMBERS
"""Every table has them (see :func:`pdgmm.report.seed_summaries.results_frame`); settings come on top."""

SETTING = "setting_"
"""Begins the name of a column with a setting."""


def read_table(path: Path) -> pd.DataFrame:
    """The table of an experiment; one that is missing, damaged or of something else is named."""
    try:
        table = pd.read_csv(path)
    except (OSError, ValueError, pd.errors.ParserError) as error:
        raise UserError(_unusable(path, str(error).strip())) from error
    if missing := [column for column in COLUMNS if column not in table]:
        raise UserError(_unusable(path, f"it has no column {missing[0]}"))
    if not len(table):
        raise UserError(_unusable(path, "it has no rows"))
    if texts := [column for column in NUMBERS if not is_numeric_dtype(table[column])]:
        raise UserError(_unusable(path, f"not all of its column {texts[0]} are numbers"))
    return table


def row_settings(row: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a row of a table, without those that it lacks."""
    return {
        key.removeprefix(SETTING): row[key] for key in row if key.startswith(SETTING) and pd.notna(row[key])
    }


def fit_key(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What tells the fits behind a row from others: the dataset, the method, and swept settings of the method.

    The name of a dataset holds a hash of all its settings; those of methods have a dot in their names.
    """
    swept = [f"{key}={value}" for key, value in sorted(row_settings(row).items()) if "." in key]
    return (row["dataset"], row["method"], *swept)


def known(value: Any) -> Any:
    """None for whatever pandas makes of an empty cell."""
    return None if pd.isna(value) else value


def _unusable(path: Path, reason: str) -> str:
    return (
        f"cannot read {path} as an experiment's table ({reason}): if a study made it, "
        f"rm {quoted(path)} and run the same command again"
    )
