"""The table that a terminal shows at the end of a run: scores beside the published ones."""

from pathlib import Path

import pandas as pd

from pdgmm.report.comparison import PublishedTable
from pdgmm.report.seed_summaries import read_table
from pdgmm.report.table_columns import RUN
from pdgmm.report.table_model import Table, tables
from pdgmm.report.value_words import ABSENT, duration
from pdgmm.store.splits import MAIN

WIDTH = 100
PUBLISHED = "published (paper's method)"


def headline(path: Path) -> str:
    """A table with methods in rows, settings in columns and, if known, the time per fit; at most ``WIDTH`` wide.

    ``path`` is the CSV file of an experiment. Settings that do not fit are left out; the last line says how many.
    """
    frame = read_table(path)
    names = frame["published_table"].dropna()
    shown = tables(frame, PublishedTable(names.iloc[0]) if len(names) else None)
    scores = next((one for one in shown if (one.measure.split, one.measure.metric) == (MAIN, "mcc")), None)
    if scores is None:
        return f"{path} has no MCC to show."
    columns = _columns(scores)
    last = _times(frame, columns[0][1:])
    room = WIDTH - _width(columns[0]) - _width(last) - 2
    fitting = columns[:1]
    for column in columns[1:]:
        room -= _width(column) + 2
        if room >= 0:
            fitting.append(column)
    names, *others = ([cell.ljust(_width(fitting[0])) for cell in fitting[0]], *fitting[1:], last)
    aligned = [names, *([cell.rjust(_width(column)) for cell in column] for column in others)]
    lines = ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]
    left_out = len(columns) - len(fitting)
    return "\n".join(
        [
            f"MCC on held-out samples, mean over the seeds {frame['seeds'].iloc[0]}:",
            *lines,
            *([f"{left_out} more settings are in the table's file."] if left_out else []),
        ]
    )


def _columns(scores: Table) -> list[list[str]]:
    """The names of the methods, then the means of every setting below its name."""
    published = [PUBLISHED] if scores.paper else []
    columns = [["", *published, *(head.method for head in scores.heads)]]
    for row in scores.rows:
        cells = [*([row.paper] if published else []), *(cell.measured for cell in row.cells)]
        columns.append([row.setting, *(cell.split(" ")[0].replace(ABSENT, "-") for cell in cells)])
    return columns


def _times(frame: pd.DataFrame, methods: list[str]) -> list[str]:
    """The mean time of a method's fits over all settings, below a heading."""
    seconds = frame[frame["split"].eq(RUN) & frame["metric"].eq("seconds")].groupby("method")["mean"].mean()
    times = [duration(seconds[method]) if method in seconds else "" for method in methods]
    return ["fit time" if any(times) else "", *times]


def _width(column: list[str]) -> int:
    return max(map(len, column))
