"""How much each column follows each latent: as a heatmap, or for images as maps of pixels."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.page.figure_style import (
    GREY,
    NARROW_INCHES,
    drawn_names,
    latent_labels,
    new_figure,
    new_panels,
    rows_height,
    set_labels,
)
from pdgmm.report.figure_files import COLOURS, SETTINGS, drawn

MOST_COLUMNS = 40
MOST_MAPS = 12
MAPS_PER_ROW = 4
MAP_INCHES = 1.6
LARGEST_LISTED = 5


def draw_meaning(found: Answers) -> Figure:
    """Sensitivities as a heatmap, for images as maps of pixels."""
    values = np.array(found.meaning.sensitivity, dtype=float)
    if shows_pixels(found):
        return draw_pixel_maps(values, found.data.image_shape, shown_maps(found), found.trusted)
    shown, drawn = shown_columns(found), drawn_names(found.meaning.columns)
    return draw_sensitivity(values[:, shown], [drawn[place] for place in shown], found.trusted)


def shows_pixels(found: Answers) -> bool:
    """Whether the columns are the pixels of an image."""
    shape = found.data.image_shape
    return shape is not None and len(found.meaning.columns) == np.prod(shape)


def shown_maps(found: Answers) -> list[int]:
    """The latents that have a map, trusted ones first where there are too many."""
    return sorted([*sorted(found.trusted), *found.doubted][:MOST_MAPS])


def shown_columns(found: Answers) -> list[int]:
    """Places of the at most 40 columns with the largest sensitivities of all, in the order of the file."""
    largest = np.nan_to_num(np.array(found.meaning.sensitivity, dtype=float)).max(axis=0)
    # A stable sort, so that equal columns are always chosen alike.
    return np.sort(np.argsort(-largest, kind="stable")[:MOST_COLUMNS]).tolist()


def largest_entries(found: Answers) -> list[list[tuple[str, float]]]:
    """For each latent the columns that follow it most, with their sensitivity."""
    rows = []
    for row in found.meaning.sensitivity:
        known = [
            (name, value) for name, value in zip(found.meaning.columns, row, strict=True) if value is not None
        ]
        rows.append(sorted(known, key=lambda entry: -entry[1])[:LARGEST_LISTED])
    return rows


def draw_sensitivity(values: np.ndarray, names: Sequence[str], trusted: frozenset[int]) -> Figure:
    """A heatmap of (latents, columns), latents in rows; rows that cannot be trusted are hatched."""
    n, d = values.shape
    top = _top(values)
    longest = max(map(len, names))
    with matplotlib.rc_context({**SETTINGS, "hatch.linewidth": 0.5}):
        figure = new_figure(
            max(NARROW_INCHES, 0.2 * d + 1.6), max(rows_height(n), 0.4) + 0.075 * longest + 0.8
        )
        axis = figure.subplots()
        axis.set_facecolor("#e4e4e4")  # of a value that is not defined
        axis.pcolormesh(
            np.arange(d + 1), np.arange(n + 1), np.ma.masked_invalid(values), cmap=COLOURS, vmin=0.0, vmax=top
        )
        for latent in range(1, n + 1):
            if latent not in trusted:
                hatched = Rectangle(
                    (0, latent - 1), d, 1, fill=False, hatch="////", edgecolor=GREY, linewidth=0.0
                )
                axis.add_patch(hatched)
        axis.invert_yaxis()
        set_labels(axis.yaxis, np.arange(n) + 0.5, latent_labels(range(1, n + 1), trusted))
        set_labels(axis.xaxis, np.arange(d) + 0.5, names, rotation=90)
        axis.set_ylabel("latent")
        _draw_scale(figure, [axis], top)
    return figure


@drawn
def draw_pixel_maps(
    sensitivity: np.ndarray, shape: tuple[int, int, int], shown: Sequence[int], trusted: frozenset[int]
) -> Figure:
    """For each of the ``shown`` latents where in the image it changes something: the strongest channel per pixel.

    ``sensitivity`` (latents, height * width * channels); latents are numbered from 1.
    """
    maps = np.nan_to_num(sensitivity).reshape(-1, *shape).max(axis=-1)
    top = _top(maps)
    figure, axes = new_panels(len(shown), MAPS_PER_ROW, MAP_INCHES, (1.0, 0.2))
    for axis, latent in zip(axes, shown, strict=False):
        _draw_map(axis, maps[latent - 1], latent, latent in trusted, top)
    _draw_scale(figure, axes, top)
    return figure


def _draw_map(axis: Axes, values: np.ndarray, latent: int, trusted: bool, top: float) -> None:
    axis.imshow(values, cmap=COLOURS, vmin=0.0, vmax=top, interpolation="nearest")
    axis.set_xticks([])
    axis.set_yticks([])
    axis.set_title(
        f"latent {latent}{'' if trusted else ' ?'}", fontsize=8, color="black" if trusted else GREY
    )
    for side in axis.spines.values():
        side.set(color="black" if trusted else GREY, linestyle="-" if trusted else (0, (3, 3)))


def _top(values: np.ndarray) -> float:
    """The end of the scale: the largest value, or 1 where nothing is sensitive to anything."""
    return float(np.nan_to_num(values).max()) or 1.0


def _draw_scale(figure: Figure, axes: list[Axes], top: float) -> None:
    scale = ScalarMappable(Normalize(0.0, top), COLOURS)
    # A long scale says no more than a short one.
    shrink = min(0.9, 3.0 / figure.get_figheight())
    figure.colorbar(scale, ax=axes, label="sensitivity", shrink=shrink, aspect=20, pad=0.02)
