"""The baselines beside the published values, as a compact table: a row a setting and measure, a column a method."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pdgmm.report.grid import REDUCED
from pdgmm.report.measures import measure_named
from pdgmm.report.text import ABSENT, difference

BASELINES = (
    "Baselines, measured and in parentheses measured minus published, which is the paper's own method:"
)


def baseline_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Of rows with a published value, those of methods that are neither the paper's nor ours.

    R² of the paper's stage 2, which has no published value of its own, is none of them.
    """
    others = set(rows.loc[rows["role"] != "baseline", "method"])
    # A cost has no difference: published ones are of another machine.
    comparable = rows["difference"].notna() | rows["mean"].isna()
    return rows[(rows["role"] == "baseline") & ~rows["method"].isin(others) & comparable]


def baselines_markdown(rows: pd.DataFrame) -> str:
    """Rows with a published value and their ``setting`` in words as Markdown; empty where there are none."""
    methods = list(dict.fromkeys(rows["method"]))
    lines: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in rows.to_dict("records"):
        title = measure_named(row["split"], row["metric"]).title
        key = (row["setting"], title, f"{row['published_mean']:.2f}")
        lines.setdefault(key, {})[row["method"]] = _cell(row)
    if not lines:
        return ""
    head = ["setting", "measure", "published", *(f"`{method}`" for method in methods)]
    cells = [[*key, *(found.get(method, ABSENT) for method in methods)] for key, found in lines.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *cells])


def _cell(row: Mapping[str, Any]) -> str:
    if pd.isna(row["mean"]):
        return f"failed ({int(row['n_failed'])})"
    measure = measure_named(row["split"], row["metric"])
    found = measure.write(row["mean"], None if pd.isna(row["std"]) else float(row["std"]))
    mark = REDUCED if isinstance(row["reduced"], str) and row["reduced"] else ""
    return f"{found} ({difference(row['difference'])}){mark}"
