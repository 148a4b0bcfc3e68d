"""What was measured and has no published counterpart, as a table: a row a setting and method, a column a measure."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pdgmm.report.measures import measure_named
from pdgmm.report.text import ABSENT, row_label

LEFT_OUT = frozenset(
    {("independent", "r2"), ("unmasked", "r2"), ("test_source", "r2"), ("independent", "mcc")}
)
"""Measures that say little beside the others; the tables behind the document have them."""


def unpublished(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of measures for which ``table`` has no published value at all.

    Without methods at less than their size, which say nothing by themselves, and references.
    """
    measures = list(zip(table["split"], table["metric"], strict=True))
    published = {one for one, mean in zip(measures, table["published_mean"], strict=True) if pd.notna(mean)}
    chosen = [one not in published and one not in LEFT_OUT for one in measures]
    whole = table["reduced"].fillna("") == ""
    return table[pd.Series(chosen, index=table.index, dtype=bool) & whole & (table["role"] != "reference")]


def measured_markdown(rows: pd.DataFrame) -> str:
    """The rows of :func:`unpublished` as Markdown; empty where there are none."""
    measures = list(dict.fromkeys(zip(rows["split"], rows["metric"], strict=True)))
    lines: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
    seeds: dict[tuple[str, str], str] = {}
    for row in rows.to_dict("records"):
        key = (row_label(row), row["method"])
        lines.setdefault(key, {})[row["split"], row["metric"]] = _cell(row)
        seeds[key] = str(int(row["n_ok"]) + int(row["n_failed"]))
    if not lines:
        return ""
    head = ["setting", "method", *(measure_named(*one).title for one in measures), "seeds"]
    cells = [
        [setting, f"`{method}`", *(found.get(one, ABSENT) for one in measures), seeds[setting, method]]
        for (setting, method), found in lines.items()
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *cells])


def _cell(row: Mapping[str, Any]) -> str:
    if pd.isna(row["mean"]):
        return f"failed ({int(row['n_failed'])})"
    return measure_named(row["split"], row["metric"]).write(
        row["mean"], None if pd.isna(row["std"]) else float(row["std"])
    )
