"""How much each column follows each latent: as a heatmap, or for images as maps of pixels."""

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.page import figure_style as style
from pdgmm.report.figure_files import COLOURS, drawn

MOST_COLUMNS = 40
MOST_MAPS = 12
MAPS_PER_ROW = 4
MAP_INCHES = 1.6
LARGEST_LISTED = 5


def shows_pixels(found: Answers) -> bool:
    """Whether the columns are the pixels of an image."""
    shape = found.data.image_shape
    return shape is not None and len(found.meaning.columns) == np.prod(shape)


def shown_maps(found: Answers) -> list[int]:
    """The latents that have a map, trusted ones first where there are too many."""
    return sorted([*sorted(found.sure), *found.unsure][:MOST_MAPS])


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


@drawn
def draw_meaning(found: Answers) -> Figure:
    """Sensitivities as a heatmap, for images as maps of pixels, with a scale beside them."""
    values = np.array(found.meaning.sensitivity, dtype=float)
    # The largest value, which is always shown, or 1 where nothing is sensitive to anything.
    top = float(np.nan_to_num(values).max()) or 1.0
    figure, axes = (_pixel_maps if shows_pixels(found) else _heatmap)(found, values, top)
    # A long scale says no more than a short one.
    shrink = min(0.9, 3.0 / figure.get_figheight())
    scale = ScalarMappable(Normalize(0.0, top), COLOURS)
    figure.colorbar(scale, ax=axes, label="sensitivity", shrink=shrink, aspect=20, pad=0.02)
    return figure


def _heatmap(found: Answers, values: np.ndarray, top: float) -> tuple[Figure, list[Axes]]:
    """A heatmap of (latents, columns), latents in rows; rows that cannot be trusted are hatched."""
    shown, names = shown_columns(found), style.drawn_names(found.meaning.columns)
    values, names = values[:, shown], [names[place] for place in shown]
    n, d = values.shape
    height = max(style.rows_height(n), 0.4) + 0.075 * max(map(len, names)) + 0.8
    figure = style.new_figure(max(style.NARROW_INCHES, 0.2 * d + 1.6), height)
    axis = figure.subplots()
    axis.set_facecolor("#e4e4e4")  # of a value that is not defined
    edges = np.arange(d + 1), np.arange(n + 1)
    axis.pcolormesh(*edges, np.ma.masked_invalid(values), cmap=COLOURS, vmin=0.0, vmax=top)
    with matplotlib.rc_context({"hatch.linewidth": 0.5}):
        for latent in found.unsure:
            row = Rectangle(
                (0, latent - 1), d, 1, fill=False, hatch="////", edgecolor=style.GREY, linewidth=0.0
            )
            axis.add_patch(row)
    axis.invert_yaxis()
    style.set_labels(axis.yaxis, np.arange(n) + 0.5, style.latent_labels(range(1, n + 1), found.sure))
    style.set_labels(axis.xaxis, np.arange(d) + 0.5, names, rotation=90)
    axis.set_ylabel("latent")
    return figure, [axis]


def _pixel_maps(found: Answers, values: np.ndarray, top: float) -> tuple[Figure, list[Axes]]:
    """Where in the image each latent changes something: the strongest channel per pixel.

    ``values`` (latents, height * width * channels).
    """
    maps = np.nan_to_num(values).reshape(-1, *found.data.image_shape).max(axis=-1)
    shown = shown_maps(found)
    figure, axes = style.new_panels(len(shown), MAPS_PER_ROW, MAP_INCHES, (1.0, 0.2))
    for axis, latent in zip(axes, shown, strict=False):
        axis.imshow(maps[latent - 1], cmap=COLOURS, vmin=0.0, vmax=top, interpolation="nearest")
        axis.set(xticks=[], yticks=[])
        sure = latent in found.sure
        colour, line, mark = ("black", "-", "") if sure else (style.GREY, (0, (3, 3)), " ?")
        axis.set_title(f"latent {latent}{mark}", fontsize=8, color=colour)
        for side in axis.spines.values():
            side.set(color=colour, linestyle=line)
    return figure, axes
