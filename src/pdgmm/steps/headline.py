"""The end of a run in a terminal: one small table of scores beside the published ones."""

from pathlib import Path

import pandas as pd

from pdgmm.report.comparison import PublishedTable
from pdgmm.report.seed_summaries import read_table
from pdgmm.report.table_columns import REFERENCE, RUN
from pdgmm.report.table_model import labelled
from pdgmm.report.value_words import duration
from pdgmm.store.splits import MAIN

WIDTH = 100
METRIC = "mcc"


def headline(path: Path) -> str:
    """Methods in rows, settings in columns, and the time of a fit where the table has it; at most ``WIDTH`` wide.

    ``path`` is the CSV file of an experiment. Settings that do not fit are left out, and the last line says how many.
    """
    table = read_table(path)
    names = table["published_table"].dropna()
    table = labelled(table, PublishedTable(names.iloc[0]).base if len(names) else None)
    scores = table[table["split"].eq(MAIN) & table["metric"].eq(METRIC) & table["role"].ne(REFERENCE)]
    if not len(scores):
        return f"{path} has no MCC to show."
    means = scores.pivot_table(values="mean", index="method", columns="setting", sort=False, dropna=False)
    cells = means.map(lambda value: "-" if pd.isna(value) else f"{value:.3f}")
    own = scores[scores["published_method"].eq(scores["published_method"].mode().get(0))]
    published = own.drop_duplicates("setting").set_index("setting")["published_mean"].dropna()
    if len(published):
        row = pd.DataFrame([{setting: f"{published.get(setting, float('nan')):.2f}" for setting in means}])
        cells = pd.concat([row.set_axis(["published, the paper's own"]).replace("nan", "-"), cells])
    seconds = table[table["split"].eq(RUN) & table["metric"].eq("seconds")].groupby("method")["mean"].mean()
    times = [duration(seconds[name]) if name in seconds else "" for name in cells.index]
    return "\n".join(
        [f"MCC on held-out samples, mean over the seeds {scores['seeds'].iloc[0]}:", *_lines(cells, times)]
    )


def _lines(cells: pd.DataFrame, times: list[str]) -> list[str]:
    first = ["", *map(str, cells.index)]
    columns = [[name, *cells[name]] for name in cells]
    last = ["time a fit", *times] if any(times) else [""] * len(first)
    room = WIDTH - max(map(len, first)) - max(map(len, last)) - 2
    shown: list[list[str]] = []
    for column in columns:
        room -= max(map(len, column)) + 2
        if room >= 0:
            shown.append(column)
    lines = []
    for row in zip(first, *shown, last, strict=True):
        name, *values, took = row
        widths = [max(map(len, column)) for column in shown]
        numbers = "".join(f"  {value:>{width}}" for value, width in zip(values, widths, strict=True))
        lines.append(f"{name:<{max(map(len, first))}}{numbers}  {took:>{max(map(len, last))}}".rstrip())
    left_out = len(columns) - len(shown)
    return [*lines, *([f"{left_out} more settings are in the table's file."] if left_out else [])]
