"""Figures as files: the same figure gives the same bytes."""

import base64
import io
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pdgmm.store.atomic import whole_file

SETTINGS = {"svg.hashsalt": "pdgmm", "font.size": 9}
"""Matplotlib's settings for drawing and writing figures. The salt makes the ids in an SVG the same every time."""

drawn = matplotlib.rc_context(SETTINGS)
"""Decorator for functions that draw: applies these settings."""

COLOURS = "Blues"
"""The colours of heatmaps: one hue from white to dark, which also works in grey and for any colour vision."""

VERDICT_COLOURS = {"better": "#0072b2", "agrees": "#7f7f7f", "worse": "#d55e00"}
"""Colours that can be told apart with any colour vision (Okabe and Ito)."""

METHOD_STYLES = [
    *(("#0072b2", "o"), ("#d55e00", "s"), ("#009e73", "^"), ("#cc79a7", "D"), ("#56b4e9", "v")),
    ("#e69f00", "P"),
]
"""Colours (Okabe and Ito) and markers of methods; the marker says the same in grey."""

_LINES = [
    {"linestyle": "-"},
    {"linestyle": (0, (5, 1.5)), "markerfacecolor": "white"},
    {"linestyle": ":", "fillstyle": "left", "markerfacecoloralt": "white"},
]
"""How lines and markers of one colour differ: solid and full, dashed and empty, dotted and half full."""

NUMBERS_INSIDE = 12
"""Graphs with up to this many variables have numbers inside the discs; larger ones get larger panels, small discs."""

_METADATA = {"svg": {"Date": None}, "png": {"Software": None}}
_DOTS_PER_INCH = 150


def new_figure(width: float, height: float, **padding: float) -> Figure:
    """An empty figure of this size in inches, whose parts make room for each other."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    figure.set_layout_engine("constrained", **padding)
    return figure


def panel_grid(
    count: int, per_row: int, inches: tuple[float, float], room: tuple[float, float], padding: float
) -> tuple[Figure, np.ndarray]:
    """A figure with ``count`` panels of size ``inches``, in rows of equal length, with ``room`` around them."""
    rows = -(-count // per_row)
    columns = -(-count // rows)
    width, height = inches[0] * columns + room[0], inches[1] * rows + room[1]
    figure = new_figure(width, height, h_pad=padding, w_pad=padding)
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.ravel()[count:]:
        axis.set_visible(False)
    return figure, axes


def line_style(number: int) -> dict[str, Any]:
    """How the line of method ``number`` looks. The first 18 differ, in grey too; the first six are solid."""
    colour, marker = METHOD_STYLES[number % len(METHOD_STYLES)]
    return {"color": colour, "marker": marker, **_LINES[number // len(METHOD_STYLES) % len(_LINES)]}


def title_panel(axis: Axes, method: str, size: str, score: str) -> None:
    """Write the method, its size and its score above a panel."""
    axis.set_title("\n".join(filter(None, [method, *textwrap.wrap(size, 42), score])), fontsize=9)


def write_failure(axis: Axes, method: str, run: Mapping[str, Any]) -> None:
    """Write into an empty panel why a run failed."""
    title_panel(axis, method, run["size"], "")
    axis.set(xticks=[], yticks=[], facecolor="#f4f4f4", box_aspect=1)
    lines = "\n".join(textwrap.wrap(run["reason"], 35)[:8])
    at = {"ha": "center", "transform": axis.transAxes}
    axis.text(0.5, 0.62, run["status"], fontsize=13, color="#9a4a00", **at)
    axis.text(0.5, 0.56, lines, va="top", fontsize=8, **at)


@drawn
def figure_bytes(figure: Figure, form: str) -> bytes:
    """The figure as ``svg`` or ``png``; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, dpi=_DOTS_PER_INCH, metadata=_METADATA[form])
    return buffer.getvalue()


def image_address(form: str, content: bytes) -> str:
    """The content of an ``svg`` or ``png`` as a data URL, so that a page needs no further file.

    An SVG inside an ``img`` element cannot run scripts, and its ids do not clash with those of another SVG.
    """
    kind = {"svg": "svg+xml"}.get(form, form)
    return f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"


def save_figure(figure: Figure, path: Path) -> None:
    """Write the figure in the format of the path's suffix, ``.svg`` or ``.png``."""
    with whole_file(path) as temporary:
        temporary.write_bytes(figure_bytes(figure, path.suffix.removeprefix(".")))


def save_figures(figure: Figure, stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``."""
    for form in _METADATA:
        save_figure(figure, stem.with_name(f"{stem.name}.{form}"))
