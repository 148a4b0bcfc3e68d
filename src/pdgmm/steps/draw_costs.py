"""Draw the training times in an experiment's table against the number of latents, with the published times."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from pdgmm.errors import UserError
from pdgmm.report.figure_files import drawn, line_style, new_figure, save_figures
from pdgmm.report.seed_summaries import read_table
from pdgmm.report.table_columns import COSTS, RUN
from pdgmm.report.value_words import duration

_PUBLISHED = {"color": "black", "linestyle": "--", "marker": "x"}


def draw_cost_table(table: Path, title: str, stem: Path) -> None:
    """Draw the training times of ``table`` (CSV) into ``<stem>.svg`` and ``<stem>.png``."""
    save_figures(draw_costs(title, read_table(table)), stem)


@drawn
def draw_costs(title: str, table: pd.DataFrame) -> Figure:
    """One line per method over ``setting_n`` and one panel per kind of time, on logarithmic axes.

    Only the number of latents may vary in ``table``. The published times come from another machine.
    """
    times = table[(table["split"] == RUN) & table["mean"].notna()]
    if times.empty:
        raise UserError(f"{title}: the table has no training times; set `cost: true` in its experiment")
    figure = new_figure(9.0, 4.2)
    axes = figure.subplots(1, len(COSTS), sharey=True)
    for axis, column in zip(axes, COSTS, strict=True):
        _draw(axis, times[times["metric"] == column.name])
        axis.set_title(column.title)
    axes[0].set_ylabel("training time")
    axes[0].legend(fontsize=8)
    figure.suptitle(title, fontsize=12)
    return figure


def _draw(axis: Axes, times: pd.DataFrame) -> None:
    published = times.dropna(subset=["published_mean"]).drop_duplicates("setting_n").sort_values("setting_n")
    if len(published):
        label = f"published: {published['published_method'].iloc[0]}, on another machine"
        axis.plot(published["setting_n"], published["published_mean"], **_PUBLISHED, label=label)
    for number, (method, runs) in enumerate(times.groupby("method", sort=False)):
        runs = runs.sort_values("setting_n")
        label = f"{method}, at reduced size" if runs["reduced"].fillna("").any() else method
        axis.plot(runs["setting_n"], runs["mean"], **line_style(number), label=label)
    axis.set(xscale="log", yscale="log", xlabel="latents n")
    places = sorted(times["setting_n"].unique())
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_xticks(places, [f"{place:g}" for place in places])
    axis.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: duration(seconds)))
    axis.grid(visible=True, color="#dddddd", linewidth=0.6)
