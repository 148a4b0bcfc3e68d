"""What was measured and has no published counterpart, as a table: a row a setting and method, a column a measure."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pdgmm.report.grid import REDUCED
from pdgmm.report.measures import measure_named
from pdgmm.report.text import ABSENT, row_label

LEFT_OUT = frozenset(
    {("independent", "r2"), ("unmasked", "r2"), ("test_source", "r2"), ("independent", "mcc")}
)
"""Measures that say little beside the others; the tables behind the document have them."""

MARK = f"{REDUCED}: run at less than the paper's size, so the number says nothing of the method."


def unpublished(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``table`` without a published value, but for ``LEFT_OUT`` and splits without samples."""
    left_out = [one in LEFT_OUT for one in zip(table["split"], table["metric"], strict=True)]
    measured = (table["n_ok"] + table["n_failed"]).astype(int) > 0
    return table[
        table["published_mean"].isna() & measured & ~pd.Series(left_out, index=table.index, dtype=bool)
    ]


def measured_markdown(rows: pd.DataFrame) -> str:
    """The rows of :func:`unpublished` as Markdown; empty where there are none."""
    measures = list(dict.fromkeys(zip(rows["split"], rows["metric"], strict=True)))
    lines: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
    seeds: dict[tuple[str, str], str] = {}
    reduced = False
    for row in rows.to_dict("records"):
        small = isinstance(row["reduced"], str) and bool(row["reduced"])
        key = (row_label(row), f"`{row['method']}`{REDUCED if small else ''}")
        lines.setdefault(key, {})[row["split"], row["metric"]] = _cell(row)
        seeds[key] = str(int(row["n_ok"]) + int(row["n_failed"]))
        reduced |= small
    if not lines:
        return ""
    head = ["setting", "method", *(measure_named(*one).title for one in measures), "seeds"]
    cells = [
        [setting, method, *(found.get(one, ABSENT) for one in measures), seeds[setting, method]]
        for (setting, method), found in lines.items()
    ]
    rule = ["---"] * len(head)
    written = "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *cells])
    return f"{written}\n\n{MARK}" if reduced else written


def _cell(row: Mapping[str, Any]) -> str:
    if pd.isna(row["mean"]):
        return f"failed ({int(row['n_failed'])})"
    return measure_named(row["split"], row["metric"]).write(
        row["mean"], None if pd.isna(row["std"]) else float(row["std"])
    )
