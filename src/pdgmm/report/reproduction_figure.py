"""All measured values that have a published one, and our methods among them at a glance: a panel an experiment."""

import fnmatch
import itertools
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pdgmm.report.comparison import PublishedTable
from pdgmm.report.figure_files import VERDICT_COLOURS, drawn, new_figure
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.seed_summaries import unrepeated
from pdgmm.report.table_columns import Measure, measure_named
from pdgmm.report.table_model import labelled

WORDS = "Measured and published values of every experiment, a panel each"

CAPTION = (
    "Our methods at a glance, with the first published measure of each experiment. Runs that an earlier experiment "
    "has are left out."
)

OURS = "ours"

COLUMNS = [
    *("experiment", "setting", "method", "role", "told", "split", "metric"),
    *("published_table", "published_method", "published_mean", "published_std"),
    *("mean", "std", "worst", "values", "chance", "n_ok", "n_failed", "difference", "verdict", "reduced"),
]
"""Of the CSV file."""

SPLIT = ", held-out samples"
"""What titles of panels leave out: nearly all are of them."""

_VERDICTS = {"better": "better than the paper", "agrees": "agrees with it", "worse": "worse"}
_MARKERS = ("o", "s", "^", "D")
_PUBLISHED = {"facecolor": "#e3e3e3", "edgecolor": "none"}
_ROW_INCHES, _HEAD_INCHES, _WIDTH_INCHES = 0.2, 0.75, 5.6
_TITLE_LETTERS = 44


@dataclass(frozen=True)
class Panel:
    """The rows of our methods in one experiment, for the first measure that is published of it.

    Of images that is the score of a ball, and every ball has a row.
    """

    title: str
    measure: Measure
    rows: pd.DataFrame

    @property
    def settings(self) -> list[str]:
        """Every setting once, in the order of the experiment."""
        return list(dict.fromkeys(self.rows["setting"]))


def reproduction_frame(tables: Sequence[pd.DataFrame], papers: Path = PAPERS) -> pd.DataFrame:
    """Every measured mean that has a published one, once, in the order of the tables."""
    named = []
    for table in tables:
        names = table["published_table"].dropna()
        named.append(labelled(table, PublishedTable(names.iloc[0], papers).base if len(names) else None))
    # A split without samples leaves a row in which nothing was measured and nothing failed.
    parts = [
        table[table["published_mean"].notna() & (table["n_ok"] + table["n_failed"] > 0)]
        for table in unrepeated(named)
    ]
    return pd.concat(parts, ignore_index=True)[COLUMNS] if parts else pd.DataFrame(columns=COLUMNS)


def panels(compared: pd.DataFrame) -> list[Panel]:
    """A panel for every experiment in ``compared`` (see :func:`reproduction_frame`).

    Experiments without judged values of our methods have none.
    """
    found = []
    # No verdict: a method on features of a network that was trained for less than the paper's steps.
    ours = compared[(compared["role"] == OURS) & compared["mean"].notna() & compared["verdict"].notna()]
    for experiment, rows in ours.groupby("experiment", sort=False):
        first = measure_named(*rows[["split", "metric"]].iloc[0])
        pattern = first.column.name
        same = rows[
            rows["split"].eq(first.split) & rows["metric"].isin(fnmatch.filter(rows["metric"], pattern))
        ]
        title = first.title.removesuffix(SPLIT)
        if "*" in pattern:
            # Every ball has a row, below the others of its setting.
            order = list(dict.fromkeys(same["setting"]))
            same = same.sort_values("setting", key=lambda settings: settings.map(order.index), kind="stable")
            same = same.assign(setting=same["setting"] + ", " + same["metric"].str.replace("_", " "))
            title = first.column.title.partition(": ")[2]
        found.append(Panel(f"{experiment}: {title}", first, same))
    return found


@drawn
def draw_reproduction(compared: pd.DataFrame) -> Figure | None:
    """All panels; None where no value of our methods has a published one."""
    shown = panels(compared)
    if not shown:
        return None
    columns = _in_columns(shown)
    inches = max(sum(_height(panel) for panel in column) for column in columns)
    methods = dict.fromkeys(method for panel in shown for method in panel.rows["method"])
    markers = dict(zip(methods, itertools.cycle(_MARKERS), strict=False))
    # The words of three columns of the legend are wider than one column of panels.
    legend, legend_columns = _legend(markers), 3 if len(columns) > 1 else 2
    legend_inches = 0.2 + _ROW_INCHES * math.ceil(len(legend) / legend_columns)
    figure = new_figure(_WIDTH_INCHES * len(columns), inches + legend_inches)
    for part, column in zip(figure.subfigures(1, len(columns), squeeze=False)[0], columns, strict=True):
        # What a shorter column lacks stays empty at its end, so that rows are as high in all of them.
        rest = inches - sum(_height(panel) for panel in column)
        heights = [*map(_height, column), *([rest] if rest > 0 else [])]
        axes = part.subplots(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        for axis, panel in zip(axes, column, strict=False):
            _draw(axis, panel, markers)
        for axis in axes[len(column) :]:
            axis.set_axis_off()
    figure.legend(handles=legend, loc="outside upper center", ncols=legend_columns, frameon=False)
    return figure


def _height(panel: Panel) -> float:
    return _HEAD_INCHES + _ROW_INCHES * len(panel.settings)


def _in_columns(shown: Sequence[Panel]) -> list[list[Panel]]:
    """The panels in their order in at most two columns, cut where the higher one is lowest."""
    cuts = range(1, len(shown) + 1)
    best = min(cuts, key=lambda cut: max(sum(map(_height, shown[:cut])), sum(map(_height, shown[cut:]))))
    return [list(part) for part in (shown[:best], shown[best:]) if part]


def _draw(axis: Axes, panel: Panel, markers: Mapping[str, str]) -> None:
    places = {setting: place for place, setting in enumerate(panel.settings)}
    published = panel.rows.drop_duplicates("setting")
    for row in published.to_dict("records"):
        place, middle = places[row["setting"]], row["published_mean"]
        spread = 0.0 if pd.isna(row["published_std"]) else row["published_std"]
        axis.barh(place, 2 * spread, left=middle - spread, height=0.8, **_PUBLISHED)
        axis.plot([middle, middle], [place - 0.4, place + 0.4], color="black", linewidth=1.2)
    for row in panel.rows.to_dict("records"):
        style = {"linestyle": "none", "marker": markers[row["method"]], "markersize": 5, "alpha": 0.9}
        axis.plot(row["mean"], places[row["setting"]], color=VERDICT_COLOURS[row["verdict"]], **style)
    axis.set_yticks(range(len(places)), list(places))
    axis.set_ylim(len(places) - 0.5, -0.5)
    # A bar without width would hold the axis to its place, with the line of the published mean on the frame.
    axis.use_sticky_edges = False
    axis.margins(x=0.05)
    axis.autoscale(axis="x")
    direction = "" if panel.measure.higher_is_better else " (lower is better)"
    axis.set_title(textwrap.fill(f"{panel.title}{direction}", _TITLE_LETTERS), fontsize=9, loc="left")
    axis.grid(visible=True, axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)


def _legend(markers: Mapping[str, str]) -> list[Line2D | Patch]:
    marks = [
        Line2D([], [], linestyle="none", marker=marker, color="#333333", label=method)
        for method, marker in markers.items()
    ]
    colours = [Patch(color=colour, label=_VERDICTS[word]) for word, colour in VERDICT_COLOURS.items()]
    return [Patch(**_PUBLISHED, label="published: mean (line) ± deviation over seeds"), *marks, *colours]
