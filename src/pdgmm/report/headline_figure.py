"""A study at a glance: the MCC of every method in the study's first experiment, beside the published values."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pdgmm.report.comparison import PublishedTable
from pdgmm.report.figure_files import METHOD_STYLES, drawn, new_figure
from pdgmm.report.table_model import labelled
from pdgmm.store.splits import MAIN

MOST_SETTINGS = 20
"""Further settings of an experiment are left out: the picture is for a first look."""

_WIDTH_INCHES, _HEAD_INCHES, _ROW_INCHES = 5.2, 1.6, 0.34  # As wide as the text of a report.


@drawn
def draw_headline(tables: Sequence[pd.DataFrame]) -> Figure:
    """Settings in rows, a mark for each method at its mean; lines where the published value and chance are."""
    scored = [table[table["split"].eq(MAIN) & table["metric"].eq("mcc")] for table in tables]
    shown = next((table for table in scored if table["mean"].notna().any()), None)
    if shown is None:
        figure = new_figure(_WIDTH_INCHES, 0.5)
        figure.text(0, 0.4, "No experiment of this study has an MCC: its tables have other scores.")
        return figure
    names = shown["published_table"].dropna()
    named = labelled(shown, PublishedTable(names.iloc[0]).base if len(names) else None)
    settings = list(dict.fromkeys(named["setting"]))[:MOST_SETTINGS]
    figure = new_figure(_WIDTH_INCHES, _HEAD_INCHES + _ROW_INCHES * len(settings))
    axis = figure.subplots()
    _draw(axis, named[named["setting"].isin(settings)], settings)
    seeds = named["n_ok"].max()
    counted = f", mean over {seeds:.0f} seeds" if seeds > 1 else ""
    axis.set_title(
        f"MCC on held-out samples{counted}\n1 means that every latent was found", fontsize=10, loc="left"
    )
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def _draw(axis: Axes, rows: pd.DataFrame, settings: list[str]) -> None:
    place = rows["setting"].map(settings.index)
    lines = {
        "published_mean": ("published", "black", "-"),
        "chance": ("chance", "#999999", ":"),
    }
    for column, (label, colour, style) in lines.items():
        known = rows.assign(place=place).dropna(subset=[column]).drop_duplicates("setting")
        if len(known):
            ends = known["place"] - 0.35, known["place"] + 0.35
            axis.vlines(known[column], *ends, color=colour, linestyle=style, linewidth=1.6, label=label)
    for number, (method, own) in enumerate(rows.groupby("method", sort=False)):
        colour, marker = METHOD_STYLES[number % len(METHOD_STYLES)]
        at = {"color": colour, "marker": marker, "linestyle": "none", "markersize": 6, "alpha": 0.9}
        axis.plot(own["mean"], place[own.index], label=method, **at)
    axis.set_yticks(range(len(settings)), settings)
    axis.set_ylim(len(settings) - 0.5, -0.5)
    axis.grid(visible=True, axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
