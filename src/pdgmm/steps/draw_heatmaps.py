"""Draw which learned latents match which true latents or blocks of them, methods side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from pdgmm.evaluation.correlation import UNMATCHED
from pdgmm.report.figure_files import COLOURS, drawn, panel_grid, save_figures, title_panel, write_failure
from pdgmm.store.checked_json import read_scores

PANELS_PER_ROW = 4
PANEL_INCHES = 3.1
WRITTEN_UP_TO = 10
"""Up to this many latents the values are written into the cells."""


def draw_scores(scores: Sequence[Path], stem: Path) -> None:
    """Draw the scores on the first held-out split of every ``scores.json`` into ``<stem>.svg`` and ``<stem>.png``."""
    save_figures(draw_heatmaps([read_scores(path) for path in scores]), stem)


@drawn
def draw_heatmaps(runs: Sequence[dict[str, Any]]) -> Figure:
    """One panel for each of the ``runs``, which are the contents of score files of one dataset and seed.

    Rows are true latents and columns are learned ones, in the order in which they were assigned: a method that found
    the latents shows a dark diagonal. Learned latents that match no true one are to the right of a line. If latents
    come in blocks, each row is a block, and its height is the block's number of latents: a method that found the
    blocks shows dark squares.
    """
    # A single panel still needs room for the title and the colour scale.
    size, room = (PANEL_INCHES, PANEL_INCHES + 0.6), (1.0, 0.4)
    figure, axes = panel_grid(len(runs), PANELS_PER_ROW, size, room, padding=0.08)
    label = "|correlation|"
    for axis, run in zip(axes.flat, runs, strict=False):
        if run["status"] != "ok":
            write_failure(axis, run["method"], run)
            continue
        scores = run["scores"][run["places"][0]]
        if "block_r2" in scores:
            label = "R²"
            sizes, score = (
                scores["block_sizes"],
                f"smallest R² within a block {scores['block_r2_diagonal_min']:.3f}",
            )
            _draw(axis, np.array(scores["block_r2"]), scores["block_assignment"], sizes)
        else:
            score = f"MCC {scores['mcc']:.3f}"
            _draw(axis, np.array(scores["correlation"]), scores["assignment"])
        title_panel(axis, run["method"], run["size"], score)
    figure.suptitle(f"{runs[0]['dataset']}, seed {runs[0]['seed']}", fontsize=12)
    scale = ScalarMappable(Normalize(0.0, 1.0), COLOURS)
    figure.colorbar(scale, ax=axes.ravel().tolist(), label=label, shrink=0.8, aspect=30)
    return figure


def assigned_order(assignment: Sequence[int], learned: int) -> list[int]:
    """The learned latents in the order of the true ones they match, then those that match none."""
    matched = [index for index in assignment if index != UNMATCHED]
    return matched + sorted(set(range(learned)) - set(matched))


def _draw(
    axis: Axes, values: np.ndarray, assignment: Sequence[int], block_sizes: Sequence[int] | None = None
) -> None:
    """Draw ``values``: (n, d) for n true and d learned latents, or (b, d) for b blocks with ``block_sizes``."""
    order = assigned_order(assignment, values.shape[1])
    shown = values[:, order]
    # Where rows begin and end: the height of a block is its number of latents.
    edges = np.concatenate(
        [[0], np.cumsum(np.ones(len(values), int) if block_sizes is None else block_sizes)]
    )
    n, learned, middles = edges[-1], len(order), (edges[:-1] + edges[1:]) / 2
    few = max(n, learned) <= 2 * WRITTEN_UP_TO
    # Vector cells instead of an image: sharp at any size. White gaps only where cells are large.
    gaps = {"edgecolors": "white", "linewidth": 0.6} if few else {"edgecolors": "face", "linewidth": 0.1}
    axis.pcolormesh(np.arange(learned + 1), edges, shown, cmap=COLOURS, vmin=0.0, vmax=1.0, **gaps)
    axis.set_aspect("equal")
    axis.invert_yaxis()
    rows = [str(row + 1) for row in range(len(values))]
    if block_sizes is not None:
        rows = [f"{name} ({size})" for name, size in zip(rows, block_sizes, strict=True)]
    _set_ticks(axis.yaxis, middles, rows)
    _set_ticks(axis.xaxis, np.arange(learned) + 0.5, [str(index + 1) for index in order])
    axis.set_xlabel("learned latent, as assigned")
    axis.set_ylabel("true latent" if block_sizes is None else "block (number of true latents)")
    if learned > n:
        axis.axvline(n, color="black", linewidth=1.0)
    if max(n, learned) > WRITTEN_UP_TO:
        return
    style = {"ha": "center", "va": "center", "fontsize": 6.5 if max(n, learned) > 6 else 8}
    for (row, column), value in np.ndenumerate(shown):
        # A held-out R2 may be a little below zero; "-0.00" would only puzzle.
        text, colour = f"{max(value, 0.0):.2f}", "white" if value > 0.6 else "#10161d"
        axis.text(column + 0.5, middles[row], text, color=colour, **style)


def _set_ticks(target: Axis, places: np.ndarray, names: list[str]) -> None:
    """Label the ticks; if there are many, only some of them."""
    every = max(1, -(-len(names) // 14))
    target.set_ticks(places[::every], names[::every])
    target.set_tick_params(length=0, labelsize=8)
