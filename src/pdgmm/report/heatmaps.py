"""Heatmaps of true against learned latents, methods side by side: |correlation|, or R2 of blocks of latents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from pdgmm.errors import UserError
from pdgmm.evaluation.correlation import UNMATCHED
from pdgmm.report.figure_files import drawn, panel_grid, title_panel, write_failure

COLOURS = "Blues"
"""One hue from white to dark: the same to any colour vision and in grey; no correlation is blank paper."""

PANELS_PER_ROW = 4
PANEL_INCHES = 3.1
WRITTEN_UP_TO = 10
"""Up to this many latents the values are written into the cells."""


@dataclass(frozen=True)
class Panel:
    """A method's matrix or, with ``correlation`` None, its failure.

    With ``block_sizes`` (b,) the rows are blocks of true latents and the matrix holds R2 instead.
    """

    method: str
    correlation: np.ndarray | None = None
    """(n, d) absolute correlations, or (b, d) R2 with blocks, learned latents in their own order."""
    assignment: np.ndarray | None = None
    """(n,) the learned latent of every true one, block after block where there are blocks; -1 for none."""
    mcc: float | None = None
    """The score in the title; with blocks the smallest R2 of a learned latent with its own block."""
    size: str = ""
    status: str = "failed"
    reason: str = ""
    block_sizes: np.ndarray | None = None

    def row_edges(self) -> np.ndarray:
        """Where the rows begin and end: a block is as high as it has latents."""
        sizes = np.ones(len(self.correlation), int) if self.block_sizes is None else self.block_sizes
        return np.concatenate([[0], np.cumsum(sizes)])


@drawn
def draw_heatmaps(title: str, panels: Sequence[Panel]) -> Figure:
    """A figure with a panel a method: true latents in rows, learned ones in columns, in the order in which
    they were assigned, so that a method that found the latents shows a dark diagonal. Learned latents that
    belong to no true one are to the right of a line. Blocks of latents have a row each, as high as they have
    latents, so that a method that found them shows dark squares. ``title`` names the setting and the seed."""
    if not panels:
        raise UserError(f"{title}: there is no method to draw")
    # One panel alone still needs room for the title and the colour scale.
    size, room = (PANEL_INCHES, PANEL_INCHES + 0.6), (1.0, 0.4)
    figure, axes = panel_grid(len(panels), PANELS_PER_ROW, size, room, padding=0.08)
    for axis, panel in zip(axes.flat, panels, strict=False):
        _draw(axis, panel)
    figure.suptitle(title, fontsize=12)
    scale = ScalarMappable(Normalize(0.0, 1.0), COLOURS)
    blocks = any(panel.block_sizes is not None for panel in panels)
    label = "R²" if blocks else "|correlation|"
    figure.colorbar(scale, ax=axes.ravel().tolist(), label=label, shrink=0.8, aspect=30)
    return figure


def assigned_order(assignment: np.ndarray, learned: int) -> np.ndarray:
    """The learned latents in the order of the true ones they belong to, then those that belong to none."""
    matched = [int(index) for index in assignment if index != UNMATCHED]
    return np.array(matched + sorted(set(range(learned)) - set(matched)), dtype=int)


def _draw(axis: Axes, panel: Panel) -> None:
    if panel.correlation is None or panel.assignment is None:
        write_failure(axis, panel.status, panel.reason)
        title_panel(axis, panel.method, panel.size, "")
        return
    correlation = np.asarray(panel.correlation)
    order = assigned_order(np.asarray(panel.assignment), correlation.shape[1])
    shown = correlation[:, order]
    edges, learned = panel.row_edges(), len(order)
    n = edges[-1]
    few = max(n, learned) <= 2 * WRITTEN_UP_TO
    # Vector cells instead of an image: sharp at any size. White gaps only where cells are large.
    axis.pcolormesh(
        np.arange(learned + 1),
        edges,
        shown,
        cmap=COLOURS,
        vmin=0.0,
        vmax=1.0,
        edgecolors="white" if few else "face",
        linewidth=0.6 if few else 0.1,
    )
    axis.set_aspect("equal")
    axis.invert_yaxis()
    _label_ticks(axis, panel, order)
    if learned > n:
        axis.axvline(n, color="black", linewidth=1.0)
    if max(n, learned) <= WRITTEN_UP_TO:
        _write_values(axis, shown, edges)
    name = "MCC" if panel.block_sizes is None else "smallest R² within a block"
    title_panel(axis, panel.method, panel.size, "" if panel.mcc is None else f"{name} {panel.mcc:.3f}")


def _label_ticks(axis: Axes, panel: Panel, order: np.ndarray) -> None:
    """Latents and blocks are numbered from 1; with many of them only some are labelled."""
    edges = panel.row_edges()
    rows = [str(row + 1) for row in range(len(edges) - 1)]
    if panel.block_sizes is not None:
        rows = [f"{name} ({size})" for name, size in zip(rows, panel.block_sizes, strict=True)]
    _set_ticks(axis.yaxis, (edges[:-1] + edges[1:]) / 2, rows)
    _set_ticks(axis.xaxis, np.arange(len(order)) + 0.5, [str(index + 1) for index in order])
    axis.set_xlabel("learned latent, as assigned")
    axis.set_ylabel("true latent" if panel.block_sizes is None else "block (number of true latents)")


def _set_ticks(target: Axis, places: np.ndarray, names: list[str]) -> None:
    every = max(1, -(-len(names) // 14))
    target.set_ticks(places[::every], names[::every])
    target.set_tick_params(length=0, labelsize=8)


def _write_values(axis: Axes, shown: np.ndarray, edges: np.ndarray) -> None:
    middle = (edges[:-1] + edges[1:]) / 2
    for (row, column), value in np.ndenumerate(shown):
        axis.text(
            column + 0.5,
            middle[row],
            # A held-out R2 of nothing may be a little below zero; "-0.00" would only puzzle.
            f"{max(value, 0.0):.2f}",
            ha="center",
            va="center",
            fontsize=6.5 if max(edges[-1], shown.shape[1]) > 6 else 8,
            color="white" if value > 0.6 else "#10161d",
        )
