"""Read an experiment's table back from its CSV file."""

from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from pdgmm.errors import UserError
from pdgmm.store.file_messages import quoted

NUMBERS = ("mean", "std", "n_ok", "n_failed", "published_mean", "published_std", "difference")

COLUMNS = (
    *("experiment", "dataset", "method", "role", "size", "reduced", "split", "metric", "failures"),
    *("published_method", "published_table", "same_method", "verdict"),
    *NUMBERS,
)
"""Every table has them (see :func:`pdgmm.report.tables.results_frame`); settings come on top."""


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


def _unusable(path: Path, reason: str) -> str:
    return (
        f"cannot read {path} as an experiment's table ({reason}): if a study made it, "
        f"rm {quoted(path)} and run the same command again"
    )
