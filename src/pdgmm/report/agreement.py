"""How a whole study agrees with the paper, counted from the tables of its experiments."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdgmm.report.comparison import RIVAL_COLUMNS
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
    "told_agrees": "agree",
    "told_better": "better",
    "told_worse": "worse",
    "failed_fits": "failed",
    "fits": "all",
}
"""The counts by name, with the words for readers."""

TOTAL = "all"

EXPLANATION = (
    "A cell is one measure of one method in one setting that has a published value; baselines are not counted. The "
    "paper's methods are held against their own published values; a run at less than the paper's size is counted "
    "apart and not judged. Our methods are held against the paper's own method. The oracle, which is told masks and "
    "components, is held against the published oracle, and graphs of the true latents against the published ones of "
    "true latents. Cells that an earlier row has are not counted again; fits that experiments share are, except in "
    "the last row. "
    f"{RULE}"
)

ALL_REDUCED = (
    "Every one of the paper's trained methods was run at less than the paper's size in this study, so the table "
    "judges none of them: their differences from the published values say nothing of the methods. Shorter trainings "
    "also have other learning rates and the like, which the study's config says (`config/fewer_steps.yaml` for "
    "`config/cpu.yaml`)."
)


def agreement(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """A row of counts for every table (see :func:`pdgmm.report.tables.results_frame`), and one for all of them."""
    new = without_repetitions([_compared(table) for table in tables])
    rows = [
        _counts(str(table["experiment"].iloc[0]), cells, _fits(table))
        for table, cells in zip(tables, new, strict=True)
    ]
    compared = pd.concat(new)
    fits = pd.concat(without_repetitions([_fits(table).assign(published_table=None) for table in tables]))
    return pd.DataFrame([*rows, _counts(TOTAL, compared, fits)], columns=list(COLUMNS))


def papers_all_reduced(counts: pd.DataFrame) -> bool:
    """Whether the paper's methods were compared, and every one of them at less than the paper's size."""
    total = counts.iloc[-1]
    return bool(total["paper_reduced"]) and not any(total[f"paper_{word}"] for word in VERDICTS)


def is_told_the_truth(rows: pd.DataFrame) -> pd.Series:
    """Which rows are of the oracle, held against the published one, or of the true latents themselves."""
    return rows["published_method"].isin(RIVAL_COLUMNS) | (rows["role"] == "reference")


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
    told = compared[is_told_the_truth(compared)]
    numbers = sorted(set(compared["published_table"].astype(int)))
    return {
        "experiment": name,
        "published_tables": ", ".join(map(str, numbers)),
        **{f"paper_{word}": int((paper["verdict"] == word).sum()) for word in VERDICTS},
        "paper_reduced": int(paper["verdict"].isna().sum()),
        **{f"ours_{word}": int((ours["verdict"] == word).sum()) for word in VERDICTS},
        **{f"told_{word}": int((told["verdict"] == word).sum()) for word in VERDICTS},
        "failed_fits": int(fits["n_failed"].sum()),
        "fits": int((fits["n_failed"] + fits["n_ok"]).sum()),
    }
