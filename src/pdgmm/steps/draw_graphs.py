"""Draw causal graphs side by side: the true one, and those that were found, with their mistakes marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from pdgmm.report.figure_files import (
    NUMBERS_INSIDE,
    drawn,
    panel_grid,
    save_figures,
    title_panel,
    write_failure,
)
from pdgmm.report.value_words import counted
from pdgmm.store.checked_json import read_scores

PANELS_PER_ROW = 4


@dataclass(frozen=True)
class Kind:
    """How edges of one kind are drawn: each kind has a colour and a pattern of its own."""

    label: str
    colour: str
    pattern: str | tuple[float, tuple[float, ...]]
    width: float
    layer: int


RIGHT = Kind("right", "#4d4d4d", "-", 1.3, 2)
TURNED = Kind("misdirected: reversed, or directed in one graph only", "#d55e00", (0, (5, 1.5)), 1.5, 4)
MISSING = Kind("missing: drawn as in the truth", "#0072b2", (0, (1, 1.6)), 1.8, 3)
EXTRA = Kind("extra", "#b04a94", (0, (6, 1.5, 1, 1.5)), 1.1, 1)
KINDS = (RIGHT, TURNED, MISSING, EXTRA)


def draw_graph_scores(scores: Sequence[Path], name: str, stem: Path) -> None:
    """Draw the graphs in every ``graph_scores-<name>.json`` of one dataset into ``<stem>.svg`` and ``<stem>.png``."""
    save_figures(draw_graphs([read_scores(path, "graph scores") for path in scores], name), stem)


@drawn
def draw_graphs(runs: Sequence[dict[str, Any]], name: str) -> Figure:
    """A panel with the true CPDAG, one with the graph of the true latents, and one for each of the ``runs``.

    ``runs`` are the contents of graph score files of one dataset and seed. Variables are numbered from 1 and have the
    same place on a circle in all panels.
    """
    true, on_true = (np.array(runs[0]["graphs"][key], dtype=np.uint8) for key in ("true", "true_latents"))
    few = len(true) <= NUMBERS_INSIDE
    panel_inches, per_row = (3.3, PANELS_PER_ROW) if few else (4.6, PANELS_PER_ROW - 1)
    size, room = (panel_inches, panel_inches + 0.55), (0.0, 0.8)
    figure, axes = panel_grid(len(runs) + 2, per_row, size, room, padding=0.06)
    first, second, *others = axes.flat
    _draw(first, true, true)
    title_panel(first, "truth (CPDAG)", "", counted(int(np.triu(true | true.T, k=1).sum()), "edge"))
    _draw_found(second, true, on_true, f"{name} on the true latents", "")
    for axis, run in zip(others, runs, strict=False):
        title = f"{name} on {run['method']}"
        if run["status"] != "ok":
            write_failure(axis, title, run)
        else:
            _draw_found(axis, true, np.array(run["graphs"]["learned"], dtype=np.uint8), title, run["size"])
    figure.suptitle(f"Causal graphs: {runs[0]['dataset']}, seed {runs[0]['seed']}", fontsize=12)
    _draw_legend(figure, axes.shape[1])
    return figure


def compared_edges(true: np.ndarray, found: np.ndarray) -> Iterator[tuple[int, int, bool, Kind]]:
    """Every edge of either graph once: ``(i, j, directed, kind)``, from i to j if it is directed."""
    for i, j in zip(*np.triu_indices(len(true), k=1), strict=True):
        was, now = (int(true[i, j]), int(true[j, i])), (int(found[i, j]), int(found[j, i]))
        if was == now == (0, 0):
            continue
        kind = RIGHT if was == now else MISSING if now == (0, 0) else EXTRA if was == (0, 0) else TURNED
        forward, backward = was if kind is MISSING else now
        begin, end = (int(i), int(j)) if forward else (int(j), int(i))
        yield begin, end, forward != backward, kind


def _draw_found(axis: Axes, true: np.ndarray, found: np.ndarray, title: str, size: str) -> None:
    _draw(axis, true, found)
    kinds = [kind for *_, kind in compared_edges(true, found)]
    counts = {kind.label.partition(":")[0]: kinds.count(kind) for kind in KINDS if kind is not RIGHT}
    wrong = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    title_panel(axis, title, size, f"SHD {sum(counts.values())}" + (f": {wrong}" if wrong else ""))


def _draw(axis: Axes, true: np.ndarray, found: np.ndarray) -> None:
    axis.set(aspect="equal", xlim=(-1.16, 1.16), ylim=(-1.16, 1.16), xticks=[], yticks=[])
    axis.spines[:].set_color("#d0d0d0")
    n = len(true)
    # The first variable at the top, then clockwise.
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    few = n <= NUMBERS_INSIDE
    # In points: the diameter of a variable's disc, the size of arrowheads, and the size of numbers.
    disc, head, letters = (15.0, 13, 8) if few else (5.0, 8, 6.5)
    for begin, end, directed, kind in compared_edges(true, found):
        width = kind.width * (1.0 if few else 0.75)
        style = {"color": kind.colour, "linestyle": kind.pattern, "linewidth": width, "zorder": kind.layer}
        shape = {"arrowstyle": "-|>" if directed else "-", "mutation_scale": head}
        gap = disc / 2 + 0.5
        arrow = FancyArrowPatch(places[begin], places[end], shrinkA=gap, shrinkB=gap, **shape, **style)
        axis.add_patch(arrow)
    inside, edge = "white" if few else "#222222", {"edgecolors": "#222222", "linewidths": 0.8}
    axis.scatter(*places.T, s=disc**2, color=inside, **edge, zorder=5)
    for index, (x, y) in enumerate(places if few else 1.07 * places):
        axis.text(x, y, str(index + 1), ha="center", va="center_baseline", fontsize=letters, zorder=6)


def _draw_legend(figure: Figure, columns: int) -> None:
    lines = [
        Line2D([], [], color=kind.colour, linestyle=kind.pattern, linewidth=kind.width, label=kind.label)
        for kind in KINDS
    ]
    figure.legend(
        handles=lines,
        loc="outside lower center",
        ncols=len(KINDS) if columns > 2 else 2 if columns > 1 else 1,
        frameon=False,
        title="edges without an arrowhead are undirected",
        title_fontsize=8,
        handlelength=4,
    )
