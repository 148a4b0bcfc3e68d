"""Heatmaps of the absolute correlations between true and learned latents, methods side by side."""

import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import UNMATCHED
from pdgmm.store.atomic import whole_file

COLOURS = "Blues"
"""One hue from white to dark: the same to any colour vision and in grey; no correlation is blank paper."""

PANELS_PER_ROW = 4
PANEL_INCHES = 3.1
WRITTEN_UP_TO = 10
"""Up to this many latents the values are written into the cells."""

_SETTINGS = {"svg.hashsalt": "pdgmm", "font.size": 9}
"""The salt makes the ids in an SVG, and so its bytes, the same every time."""

_METADATA = {"svg": {"Date": None}, "png": {"Software": None}}
_DOTS_PER_INCH = 150


@dataclass(frozen=True)
class Panel:
    """A method's matrix or, with ``correlation`` None, its failure."""

    method: str
    correlation: np.ndarray | None = None
    """(n, d) absolute correlations, learned latents in their own order."""
    assignment: np.ndarray | None = None
    """(n,) the learned latent of every true one, -1 for none."""
    mcc: float | None = None
    size: str = ""
    status: str = "failed"
    reason: str = ""


def draw_heatmaps(title: str, panels: Sequence[Panel]) -> Figure:
    """A figure with a panel a method: true latents in rows, learned ones in columns, in the order in which
    they were assigned, so that a method that found the latents shows a dark diagonal. Learned latents that
    belong to no true one stand to the right of a line. ``title`` names the setting and the seed."""
    if not panels:
        raise UserError(f"{title}: there is no method to draw")
    rows = -(-len(panels) // PANELS_PER_ROW)
    columns = -(-len(panels) // rows)
    with matplotlib.rc_context(_SETTINGS):
        # One panel alone still needs room for the title and the colour scale.
        figure = Figure(figsize=(PANEL_INCHES * columns + 1.0, (PANEL_INCHES + 0.6) * rows + 0.4))
        FigureCanvasAgg(figure)
        figure.set_layout_engine("constrained", h_pad=0.08, w_pad=0.08)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axis, panel in zip(axes, panels, strict=False):
            _draw(axis, panel)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        figure.suptitle(title, fontsize=12)
        scale = ScalarMappable(Normalize(0.0, 1.0), COLOURS)
        figure.colorbar(scale, ax=axes.tolist(), label="|correlation|", shrink=0.8, aspect=30)
    return figure


def figure_bytes(figure: Figure, form: str) -> bytes:
    """The figure as ``svg`` or ``png``; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(buffer, format=form, dpi=_DOTS_PER_INCH, metadata=_METADATA[form])
    return buffer.getvalue()


def save_figure(figure: Figure, path: Path) -> None:
    """Write the figure in the format of the path's suffix, ``.svg`` or ``.png``."""
    form = Path(path).suffix.removeprefix(".")
    if form not in _METADATA:
        raise UserError(f"{path}: figures are written as {' or '.join(_METADATA)}, not as {form!r}")
    with whole_file(Path(path)) as temporary:
        temporary.write_bytes(figure_bytes(figure, form))


def assigned_order(assignment: np.ndarray, learned: int) -> np.ndarray:
    """The learned latents in the order of the true ones they belong to, then those that belong to none."""
    matched = [int(index) for index in assignment if index != UNMATCHED]
    return np.array(matched + sorted(set(range(learned)) - set(matched)), dtype=int)


def _draw(axis: Axes, panel: Panel) -> None:
    if panel.correlation is None or panel.assignment is None:
        _draw_failure(axis, panel)
        return
    correlation = np.asarray(panel.correlation)
    order = assigned_order(np.asarray(panel.assignment), correlation.shape[1])
    shown = correlation[:, order]
    n, learned = shown.shape
    few = max(n, learned) <= 2 * WRITTEN_UP_TO
    # Vector cells instead of an image: sharp at any size. White gaps only where cells are large.
    axis.pcolormesh(
        shown,
        cmap=COLOURS,
        vmin=0.0,
        vmax=1.0,
        edgecolors="white" if few else "face",
        linewidth=0.6 if few else 0.1,
    )
    axis.set_aspect("equal")
    axis.invert_yaxis()
    _label_ticks(axis, order, n)
    if learned > n:
        axis.axvline(n, color="black", linewidth=1.0)
    if max(n, learned) <= WRITTEN_UP_TO:
        _write_values(axis, shown)
    _set_title(axis, panel, "" if panel.mcc is None else f"MCC {panel.mcc:.3f}")


def _label_ticks(axis: Axes, order: np.ndarray, n: int) -> None:
    """Latents are numbered from 1; with many of them only some are labelled."""
    for count, target, names in ((n, axis.yaxis, np.arange(n)), (len(order), axis.xaxis, order)):
        every = max(1, -(-count // 14))
        places = np.arange(0, count, every)
        target.set_ticks(places + 0.5, [str(names[place] + 1) for place in places])
        target.set_tick_params(length=0, labelsize=8)
    axis.set_xlabel("learned latent, as assigned")
    axis.set_ylabel("true latent")


def _write_values(axis: Axes, shown: np.ndarray) -> None:
    for (row, column), value in np.ndenumerate(shown):
        axis.text(
            column + 0.5,
            row + 0.5,
            f"{value:.2f}",
            ha="center",
            va="center",
            fontsize=6.5 if max(shown.shape) > 6 else 8,
            color="white" if value > 0.6 else "#10161d",
        )


def _draw_failure(axis: Axes, panel: Panel) -> None:
    axis.set_box_aspect(1)
    axis.set_xticks([])
    axis.set_yticks([])
    axis.set_facecolor("#f4f4f4")
    axis.text(0.5, 0.62, panel.status, ha="center", fontsize=13, color="#9a4a00", transform=axis.transAxes)
    reason = "\n".join(textwrap.wrap(panel.reason, 34)[:8])
    axis.text(0.5, 0.56, reason, ha="center", va="top", fontsize=8, transform=axis.transAxes)
    _set_title(axis, panel, "")


def _set_title(axis: Axes, panel: Panel, score: str) -> None:
    lines = [panel.method, *textwrap.wrap(panel.size, 40), score]
    axis.set_title("\n".join(line for line in lines if line), fontsize=9)
