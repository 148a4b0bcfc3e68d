"""How much each column follows each latent: as a heatmap, or for images as maps of pixels."""

from collections.abc import Sequence
from pathlib import Path

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
from pdgmm.analysis.page.page_parts import Picture
from pdgmm.analysis.wording import count_of, latents, number, plain
from pdgmm.report.figure_files import SETTINGS
from pdgmm.report.heatmaps import COLOURS

MOST_COLUMNS = 40
MOST_MAPS = 12
MAPS_PER_ROW = 4
MAP_INCHES = 1.6
LARGEST_LISTED = 5
NARROW_COLUMNS = 16
"""With more columns than this the heatmap is too wide for a narrow screen."""

TRAVERSALS = "traversals.png"
"""Images in which one latent at a time is changed."""


def meaning_pictures(found: Answers, figures: Path) -> list[Picture]:
    """Sensitivities, for images as maps; then the strips of images in the folder ``figures``, if there are any."""
    shape, path = found.data.image_shape, figures / TRAVERSALS
    values = np.array(found.meaning.sensitivity, dtype=float)
    if shape is None or values.shape[1] != np.prod(shape):
        return [_heatmap(found, values)]
    return [_maps(found, values, shape), *([_strips(found, path)] if path.is_file() else [])]


def largest_entries(found: Answers) -> list[list[tuple[str, float]]]:
    """For each latent the columns that follow it most, with their sensitivity."""
    rows = []
    for row in found.meaning.sensitivity:
        known = [
            (name, value) for name, value in zip(found.meaning.columns, row, strict=True) if value is not None
        ]
        rows.append(sorted(known, key=lambda entry: -entry[1])[:LARGEST_LISTED])
    return rows


def _heatmap(found: Answers, values: np.ndarray) -> Picture:
    columns = found.meaning.columns
    shown = largest_columns(values)
    drawn = drawn_names(columns)
    caption = (
        "How much a column changes with a latent, in standard deviations of the column for one standard deviation "
        "of the latent. "
    )
    if len(shown) < len(columns):
        caption += f"Shown are the {len(shown)} of {len(columns)} columns with the largest values. "
    if found.doubted:
        caption += "Hatched rows with a question mark cannot be trusted. "
    if any(drawn[place] != columns[place] for place in shown):
        caption += (
            "Names that are too long are shortened; one that cannot be drawn is the number of its column. "
        )
    seen = f"Heatmap of {count_of(found.n_latents, 'latent')} by {count_of(len(shown), 'column')}."
    figure = draw_sensitivity(values[:, shown], [drawn[place] for place in shown], found.trusted)
    alternative = f"{seen} {_strongest(found, values)}"
    return Picture("meaning", "Sensitivity", figure, alternative, caption, wide=len(shown) > NARROW_COLUMNS)


def _maps(found: Answers, values: np.ndarray, shape: tuple[int, int, int]) -> Picture:
    shown = sorted([*sorted(found.trusted), *found.doubted][:MOST_MAPS])
    caption = "Where in the image each latent changes something: dark pixels follow it. "
    if len(shown) < found.n_latents:
        caption += f"Shown are {len(shown)} of {found.n_latents} latents, trusted ones first. "
    caption += "A question mark and a dashed frame mark a latent that cannot be trusted."
    seen = f"{count_of(len(shown), 'map')} of {shape[0]} by {shape[1]} pixels, for {latents(shown)}."
    figure = draw_pixel_maps(values, shape, shown, found.trusted)
    alternative = f"{seen} {_strongest(found, values)}"
    return Picture("meaning", "Where in the image", figure, alternative, caption, wide=len(shown) > 2)


def _strips(found: Answers, path: Path) -> Picture:
    warning = f" Not trusted: {latents(found.doubted)}." if found.doubted else ""
    return Picture(
        path.stem,
        "Changing one latent at a time",
        path.read_bytes(),
        "Strips of images, one for each latent, those that are trusted first: along a strip one latent goes from "
        f"low to high and the others stay.{warning}",
        "What changes in an image when one latent is changed and the others are kept. The trusted latents come "
        f"first, the others have a question mark.{warning}",
        wide=True,
    )


def _strongest(found: Answers, values: np.ndarray) -> str:
    if not np.isfinite(values).any():
        return "No value could be measured."
    latent, column = np.unravel_index(np.nanargmax(values), values.shape)
    name = plain(found.meaning.columns[column])
    return f"The largest value, {number(values[latent, column])}, is that of {name} with latent {latent + 1}."


def largest_columns(sensitivity: np.ndarray) -> np.ndarray:
    """The at most 40 columns of (latents, columns) with the largest values of all, in the order of the file."""
    largest = np.nan_to_num(sensitivity).max(axis=0)
    # A stable sort, so that equal columns are always chosen alike.
    return np.sort(np.argsort(-largest, kind="stable")[:MOST_COLUMNS])


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


def draw_pixel_maps(
    sensitivity: np.ndarray, shape: tuple[int, int, int], shown: Sequence[int], trusted: frozenset[int]
) -> Figure:
    """For each of the ``shown`` latents where in the image it changes something: the strongest channel per pixel.

    ``sensitivity`` (latents, height * width * channels); latents are numbered from 1.
    """
    maps = np.nan_to_num(sensitivity).reshape(-1, *shape).max(axis=-1)
    top = _top(maps)
    with matplotlib.rc_context(SETTINGS):
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
