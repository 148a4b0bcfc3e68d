"""What the page's figures share: one hue, grey for what cannot be trusted, and names a figure can write."""

import functools
from collections.abc import Collection, Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.ticker import PercentFormatter

from pdgmm.analysis.wording import plain
from pdgmm.report import figure_files

DARK = "#0b4a8f"
PALE = "#9ecae1"
GREY = "#767676"
"""Of what cannot be trusted, always with a second sign: hollow, dashed or hatched."""
BAND = "#efefef"

NARROW_INCHES = 4.8
"""A figure of this width can still be read on a telephone."""

LONGEST_NAME = 24


new_figure = functools.partial(figure_files.new_figure, h_pad=0.06, w_pad=0.06)
"""An empty figure, in inches, that keeps labels off each other."""


def new_panels(
    panels: int, per_row: int, inches: float, margin: tuple[float, float]
) -> tuple[Figure, list[Axes]]:
    """A figure of square ``panels`` of this size with titles, and their axes in order."""
    columns = min(panels, per_row)
    rows = -(-panels // columns)
    figure = new_figure(max(inches * columns, 2.6) + margin[0], (inches + 0.3) * rows + margin[1])
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for axis in axes[panels:]:
        axis.set_visible(False)
    return figure, axes


def clear_frame(axis: Axes) -> None:
    """Only the lines that carry a scale."""
    axis.spines[["top", "right"]].set_visible(False)


def percent_scale(axis: Axis, top: float) -> None:
    """Shares as percentages, with a decimal only where a scale up to ``top`` needs it."""
    axis.set_major_formatter(PercentFormatter(1.0, decimals=0 if top >= 0.05 else 1))


def marks(trusted: bool, marker: str = "o", size: float = 5, filled: bool = True) -> dict[str, object]:
    """The style of marks: dark, and grey and hollow for what cannot be trusted."""
    colour = DARK if trusted else GREY
    face = colour if trusted and filled else "white"
    return {"linestyle": "", "marker": marker, "markersize": size, "color": colour, "markerfacecolor": face}


def latent_labels(numbers: Sequence[int], trusted: Collection[int]) -> list[str]:
    """``3``, or ``3 ?`` for a latent that cannot be trusted."""
    return [str(latent) if latent in trusted else f"{latent} ?" for latent in numbers]


def latent_rows(numbers: Sequence[int], trusted: Collection[int], margin: float) -> tuple[Figure, Axes]:
    """A figure with a row for each latent from top to bottom; those that cannot be trusted have a grey row."""
    figure = new_figure(NARROW_INCHES, rows_height(len(numbers)) + margin)
    axis = figure.subplots()
    clear_frame(axis)
    axis.set(xlim=(-0.02, 1.02), ylim=(len(numbers) - 0.5, -0.5), ylabel="latent")
    set_labels(axis.yaxis, range(len(numbers)), latent_labels(numbers, trusted))
    for place, latent in enumerate(numbers):
        if latent not in trusted:
            axis.axhspan(place - 0.5, place + 0.5, color=BAND, zorder=0, linewidth=0)
    return figure, axis


def rows_height(rows: int) -> float:
    """Inches for that many rows: fewer for each when there are many."""
    return rows * (0.27 if rows <= 24 else 0.17)


def set_labels(axis: Axis, places: Sequence[float], labels: Sequence[str], **style: object) -> None:
    """Labels as they are: a dollar sign in a column's name starts no formula."""
    axis.set_ticks(list(places), labels=list(labels))
    axis.set_tick_params(length=0, labelsize=8 if len(labels) <= 24 else 6.5)
    for label in axis.get_ticklabels():
        label.set(parse_math=False, **style)


def drawn_names(names: Sequence[str]) -> list[str]:
    """Names short enough for a figure; one whose letters its font lacks becomes its number, ``column 3``."""
    known = get_font(findfont("DejaVu Sans")).get_charmap()
    drawn = []
    for place, name in enumerate(map(plain, names), start=1):
        if not name.strip() or not all(ord(character) in known for character in name):
            name = f"column {place}"
        elif len(name) > LONGEST_NAME:
            # Long names of one table often differ only at their end.
            name = f"{name[: LONGEST_NAME - 9]}…{name[-8:]}"
        drawn.append(name)
    return drawn
