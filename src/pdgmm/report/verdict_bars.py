"""How a study compares with papers in one picture: a bar for every experiment, cut by its verdicts."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pdgmm.report.figure_files import VERDICT_COLOURS, drawn, new_figure

BARS = "Of every experiment, how many values are better than published, agree, are worse, or are not judged"

_GROUPS = {"paper": "the paper's methods", "ours": "our methods, against the paper's own"}
_WORDS = {
    "better": "better",
    "agrees": "agree",
    "worse": "worse",
    "reduced": "not judged: run at a smaller size",
}
_COLOURS = {**VERDICT_COLOURS, "reduced": "#e3e3e3"}
_ROW_INCHES, _HEAD_INCHES, _WIDTH_INCHES = 0.21, 0.9, 9.0


@drawn
def draw_verdicts(counts: pd.DataFrame) -> Figure | None:
    """Bars of :func:`pdgmm.report.agreement_counts.agreement`; None where nothing has a published value."""
    rows = counts[(counts["experiment"] != "all") & counts["published_tables"].ne("")]
    if not len(rows):
        return None
    figure = new_figure(_WIDTH_INCHES, _HEAD_INCHES + _ROW_INCHES * len(rows))
    for axis, (group, title) in zip(figure.subplots(1, 2, sharey=True), _GROUPS.items(), strict=True):
        _draw(axis, rows, group, title)
    handles = [Patch(color=_COLOURS[word], label=_WORDS[word]) for word in _WORDS]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
    return figure


def _draw(axis: Axes, rows: pd.DataFrame, group: str, title: str) -> None:
    left = pd.Series(0, index=rows.index)
    for verdict in _WORDS:
        name = f"{group}_{verdict}"
        if name not in rows:
            continue
        axis.barh(range(len(rows)), rows[name], left=left, height=0.72, color=_COLOURS[verdict])
        left = left + rows[name]
    axis.set_yticks(range(len(rows)), rows["experiment"])
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.set_title(title, fontsize=9, loc="left")
    axis.set_xlabel("values with a published one")
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.spines[["top", "right"]].set_visible(False)
