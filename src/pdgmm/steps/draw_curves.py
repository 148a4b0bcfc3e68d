"""Draw scores in an experiment's table against the number that it varies, with their chance levels."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from pdgmm.errors import UserError
from pdgmm.report.figure_files import drawn, line_style, panel_grid, save_figures
from pdgmm.report.seed_summaries import SETTING, known, read_table
from pdgmm.report.table_columns import RUN, measure_named
from pdgmm.report.value_words import setting_name, setting_value

PANELS_PER_ROW = 2
PANEL_INCHES = (4.6, 3.6)

LOGARITHMIC_FROM = 10
"""The axis is logarithmic if the largest number is more than this many times the smallest one."""

CLOSEST_TICKS = 0.08
"""Numbers that are closer to the one before than this share of the axis are not written below it."""

_CHANCE = {"color": "black", "linestyle": "--", "linewidth": 1.4, "zorder": 2.5}
_OURS = {"linewidth": 2.4, "markersize": 7, "zorder": 3}
_OTHERS = {"linewidth": 1.1, "markersize": 5}
_OUR_BAND, _OTHER_BAND = 0.15, 0.06  # Opacity: many bands lie on top of each other.


def draw_curve_table(table: Path, title: str, key: str, names: Sequence[str], stem: Path) -> None:
    """Draw the scores ``names`` of ``table`` (CSV) into ``<stem>.svg`` and ``<stem>.png``."""
    save_figures(draw_curves(title, read_table(table), key, names), stem)


@drawn
def draw_curves(title: str, table: pd.DataFrame, key: str, names: Sequence[str]) -> Figure:
    """One panel per score and one line per method over ``setting_<key>``: the mean and one deviation around it.

    Only this setting may vary in ``table``. Our own methods come first and have thick lines.
    """
    placed = table.assign(place=table[SETTING + key].astype(float))
    panels = [_scores(name, title, placed) for name in names]
    scored = pd.concat(panels)
    scored = pd.concat([scored[_is_ours(scored)], scored[~_is_ours(scored)]])
    styles = {
        method: {"label": _label(method, runs), **line_style(number)}
        for number, (method, runs) in enumerate(scored.groupby("method", sort=False))
    }
    figure, axes = panel_grid(len(panels), PANELS_PER_ROW, PANEL_INCHES, room=(0.4, 0.6), padding=0.06)
    for axis, scores in zip(axes.flat, panels, strict=False):
        _draw(axis, scores, styles)
        _mark_places(axis, key, sorted(scores["place"].unique().tolist()))
    words = ["means over seeds, bands of one standard deviation"] if scored["std"].notna().any() else []
    words += ["thick lines: our own methods"] if _is_ours(scored).any() else []
    _add_legend(figure, words)
    figure.suptitle(textwrap.fill(title, int(10 * figure.get_figwidth())), fontsize=12)
    return figure


def _scores(name: str, title: str, table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a score at the first place that has it, of the methods that have it anywhere."""
    runs = table[table["split"] != RUN]
    found = runs[runs["mean"].notna()]
    places = found.loc[found["metric"] == name, "split"]
    if places.empty:
        existing = ", ".join(found["metric"].unique()) or "none"
        raise UserError(f"{title}: no run has the score {name!r}, which `curves` names; there are {existing}")
    rows = runs[(runs["metric"] == name) & (runs["split"] == places.iloc[0])]
    return rows[rows["mean"].notna().groupby(rows["method"]).transform("any")]


def _is_ours(runs: pd.DataFrame) -> pd.Series:
    return runs["role"] == "ours"


def _label(method: str, runs: pd.DataFrame) -> str:
    told = known(runs["told"].iloc[0])
    reduced = any(known(value) for value in runs["reduced"])
    return ", ".join(filter(None, [method, told and f"told {told}", reduced and "at reduced size"]))


def _draw(axis: Axes, scores: pd.DataFrame, styles: dict[str, dict]) -> None:
    first = scores.iloc[0]
    chance = scores.dropna(subset=["chance"]).drop_duplicates("place").sort_values("place")
    if len(chance):
        axis.plot(chance["place"], chance["chance"], **_CHANCE, label="chance")
    for method in [method for method in styles if method in set(scores["method"])]:
        runs, style = scores[scores["method"] == method].sort_values("place"), styles[method]
        width, opacity = (_OURS, _OUR_BAND) if _is_ours(runs).any() else (_OTHERS, _OTHER_BAND)
        low, high = runs["mean"] - runs["std"], runs["mean"] + runs["std"]
        axis.fill_between(runs["place"], low, high, color=style["color"], alpha=opacity, linewidth=0)
        axis.plot(runs["place"], runs["mean"], **style, **width)
    axis.set_ylabel(textwrap.fill(measure_named(first["split"], first["metric"]).title, 45))
    axis.grid(visible=True, color="#dddddd", linewidth=0.6)


def _mark_places(axis: Axes, key: str, places: list[float]) -> None:
    """Write the numbers below the axis, without those that would cover each other."""
    along = np.array(places, dtype=float)
    if along[0] > 0 and along[-1] > LOGARITHMIC_FROM * along[0]:
        axis.set_xscale("log")
        axis.xaxis.set_minor_locator(NullLocator())
        along = np.log(along)
    marked = [0]
    for number in range(1, len(along)):
        if along[number] - along[marked[-1]] >= CLOSEST_TICKS * np.ptp(along):
            marked.append(number)
    axis.set_xticks(
        [places[number] for number in marked], [setting_value(key, places[number]) for number in marked]
    )
    axis.set_xlabel(setting_name(key))


def _add_legend(figure: Figure, words: Sequence[str]) -> None:
    """One legend for all panels below them, under these lines of text; the figure grows by its height."""
    entries = {}
    for axis in figure.axes:
        handles, labels = axis.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    width, height = figure.get_size_inches()
    columns = max(1, int(width / (0.8 + 0.07 * max(map(len, entries)))))
    rows = -(-len(entries) // columns) + len(words)
    figure.set_size_inches(width, height + 0.2 * rows)
    layout = {"loc": "outside lower center", "ncols": columns, "frameon": False, "handlelength": 3}
    figure.legend(entries.values(), entries, title="\n".join(words), **layout)
