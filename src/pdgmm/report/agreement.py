"""How a whole study agrees with the paper, counted from the tables of its experiments."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdgmm.report.text import row_label
from pdgmm.report.verdict import RULE

VERDICTS = ("agrees", "better", "worse")

COLUMNS = {
    "experiment": "experiment",
    "published_tables": "paper's tables",
    "paper_agrees": "agree",
    "paper_better": "better",
    "paper_worse": "worse",
    "paper_reduced": "at reduced size",
    "ours_agrees": "agree",
    "ours_better": "better",
    "ours_worse": "worse",
    "failed_fits": "failed",
    "fits": "all",
}
"""The counts by name, with the words for readers."""

TOTAL = "all"

EXPLANATION = (
    "A cell is one measure of one method in one setting that has a published value. The paper's methods are held "
    "against their own published values; a run at less than the paper's size is counted apart and not judged. Our "
    "methods are held against the paper's own method. The last row counts once what several experiments share. "
    f"{RULE}"
)


def agreement(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """A row of counts for every table (see :func:`pdgmm.report.tables.results_frame`), and one for all of them."""
    rows = [_counts(str(table["experiment"].iloc[0]), _compared(table), _fits(table)) for table in tables]
    compared = pd.concat(without_repetitions([_compared(table) for table in tables]))
    fits = pd.concat(without_repetitions([_fits(table).assign(published_table=None) for table in tables]))
    return pd.DataFrame([*rows, _counts(TOTAL, compared, fits)], columns=list(COLUMNS))


def without_repetitions(tables: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """The tables without the rows that an earlier one has: the same runs, measure and published table.

    Where experiments share runs but one has more seeds, its row counts if it comes first.
    """
    seen: set[tuple[str, ...]] = set()
    kept = []
    for table in tables:
        rows = table.to_dict("records")
        keys = [(*(_plain(row[column]) for column in _SAME), row_label(row)) for row in rows]
        # An empty list would choose no columns instead of no rows.
        kept.append(table[np.array([key not in seen for key in keys], dtype=bool)])
        seen.update(keys)
    return kept


_SAME = ("dataset", "method", "size", "split", "metric", "published_table")


def _plain(value: object) -> str:
    """Text that is the same for 3, 3.0 and, where it is missing, for what pandas makes of it."""
    return "" if pd.isna(value) else str(value).removesuffix(".0")


def _compared(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["difference"].notna()]


def _fits(table: pd.DataFrame) -> pd.DataFrame:
    """A row for every method and setting: the first one, which counts its fits as all others do."""
    labels = [row_label(row) for row in table.to_dict("records")]
    first = ~table.assign(label=labels).duplicated(["dataset", "method", "label"])
    return table[first & (table["role"] != "reference")]


def _counts(name: str, compared: pd.DataFrame, fits: pd.DataFrame) -> dict[str, object]:
    paper, ours = compared[compared["role"] == "paper"], compared[compared["role"] == "ours"]
    numbers = sorted(set(compared["published_table"].astype(int)))
    return {
        "experiment": name,
        "published_tables": ", ".join(map(str, numbers)),
        **{f"paper_{word}": int((paper["verdict"] == word).sum()) for word in VERDICTS},
        "paper_reduced": int(paper["verdict"].isna().sum()),
        **{f"ours_{word}": int((ours["verdict"] == word).sum()) for word in VERDICTS},
        "failed_fits": int(fits["n_failed"].sum()),
        "fits": int((fits["n_failed"] + fits["n_ok"]).sum()),
    }
