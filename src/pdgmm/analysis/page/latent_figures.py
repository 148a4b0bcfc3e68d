"""How many latents there are, how well independent fits agree on each of them, and how they cause each other."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from matplotlib.ticker import MaxNLocator

from pdgmm.analysis.answers import Answers, Count, Edge
from pdgmm.analysis.page import figure_style as style
from pdgmm.analysis.page.verdicts import sure_word
from pdgmm.analysis.wording import percent
from pdgmm.report.figure_files import NUMBERS_INSIDE, drawn

MOST_EDGE_LABELS = 20
"""With more edges than this their labels would cover each other; the widths remain."""

DASHED = {"color": "black", "linestyle": (0, (4, 2))}


def scored_candidates(count: Count) -> list[tuple[int, float]]:
    """Number and held-out log-likelihood of the candidates that could be scored, by number."""
    return sorted(
        (candidate.n, candidate.held_out_log_likelihood)
        for candidate in count.candidates
        if candidate.held_out_log_likelihood is not None
    )


def gaussian_candidates(count: Count) -> list[tuple[int, float]]:
    """The same under Gaussian latents."""
    return sorted(
        (candidate.n, candidate.gaussian_log_likelihood)
        for candidate in count.candidates
        if candidate.gaussian_log_likelihood is not None
    )


@drawn
def draw_count(found: Answers) -> Figure:
    """Bars, one a principal direction, dark up to the chosen number; below them the candidates, if compared."""
    scored = scored_candidates(found.count)
    figure = style.new_figure(style.NARROW_INCHES, 4.6 if scored else 2.5)
    axes = figure.subplots(2 if scored else 1, 1, squeeze=False).ravel()
    for axis in axes:
        style.clear_frame(axis)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    _draw_variance(axes[0], found.count.explained_variance, found.count.chosen)
    if scored:
        _draw_likelihood(axes[1], scored, gaussian_candidates(found.count), found.count.chosen)
    return figure


def _draw_variance(axis: Axes, shares: list[float], chosen: int) -> None:
    places = range(1, len(shares) + 1)
    colours = [style.DARK if place <= chosen else style.PALE for place in places]
    axis.bar(places, shares, color=colours, width=0.8)
    axis.axvline(chosen + 0.5, **DASHED, linewidth=1.0)
    # Beside the line, on the side where there is room.
    side = "left" if chosen < 0.7 * len(shares) else "right"
    place = {"xytext": (4, 0), "textcoords": "offset points", "ha": side, "va": "top"}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    at = axis.get_xaxis_transform()
    axis.annotate(f"chosen: {chosen}", (chosen + 0.5, 0.97), xycoords=at, bbox=box, **place)
    axis.set_xlim(0.3, max(len(shares), chosen) + 0.9)
    style.percent_scale(axis.yaxis, max(shares))
    axis.set(xlabel="principal direction of the data", ylabel="share of variance")


def _draw_likelihood(
    axis: Axes, scored: list[tuple[int, float]], gaussian: list[tuple[int, float]], chosen: int
) -> None:
    line = {"color": style.DARK, "marker": "o", "markersize": 4.5, "linewidth": 1.2}
    axis.plot(*zip(*scored, strict=True), **line, label="latents that rest")
    if gaussian:
        dashed = {
            "color": style.GREY,
            "marker": "D",
            "markersize": 3.5,
            "linewidth": 1.0,
            "linestyle": (0, (3, 2)),
        }
        axis.plot(*zip(*gaussian, strict=True), **dashed, markerfacecolor="white", label="Gaussian latents")
        axis.legend(frameon=False, fontsize=8)
    if chosen in dict(scored):
        ring = {"marker": "o", "markersize": 11, "markerfacecolor": "none", "linestyle": ""}
        axis.plot([chosen], dict(scored)[chosen], color="black", **ring)
        axis.axvline(chosen, **DASHED, linewidth=0.8, zorder=0)
    axis.margins(x=0.08, y=0.15)
    axis.set(xlabel="number of latents (ring: chosen)", ylabel="log-likelihood\nof unseen rows")


@drawn
def draw_identified(found: Answers) -> Figure:
    """A row a latent, blocks together: a disc at its strong score and a diamond at its weak one, from 0 to 1."""
    blocks = found.identified.blocks
    order = [latent for block in blocks for latent in sorted(block)]
    figure, axis = style.latent_rows(order, found.sure, 1.3)
    for place, latent in enumerate(order):
        entry = found.identified.latents[latent - 1]
        if entry.weak is not None:
            axis.plot(
                entry.weak, place, **style.marks(entry.latent in found.sure, "D", 7, filled=False), zorder=3
            )
        if entry.strong is not None:
            axis.plot(entry.strong, place, **style.marks(entry.latent in found.sure), zorder=4)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6, zorder=1)
    axis.set_axisbelow(True)
    axis.set_xlabel("agreement between fits (1: the same)")
    first = 0
    for number, block in enumerate(blocks, start=1):
        if len(block) > 1:
            # A bracket at the right.
            ends = [first - 0.35, first + len(block) - 0.65]
            axis.plot([1.04, 1.04], ends, color="black", linewidth=1.2, clip_on=False)
            axis.text(1.055, sum(ends) / 2, f"block {number}", va="center", fontsize=8)
        first += len(block)
    word = sure_word(found)
    kinds = {
        f"strong, {word}": style.marks(True),
        f"strong, not {word} (?)": style.marks(False),
        "weak": style.marks(True, "D", 7, filled=False),
    }
    handles = [Line2D([], [], **marks, label=label) for label, marks in kinds.items()]
    layout = {"loc": "outside lower center", "ncols": 3, "handletextpad": 0.2, "columnspacing": 1.2}
    figure.legend(handles=handles, frameon=False, fontsize=8, **layout)
    return figure


def stable_first(edges: Sequence[Edge]) -> list[Edge]:
    """The edges, the most stable ones first."""
    return sorted(edges, key=lambda edge: (-(edge.stability or 0.0), edge.begin, edge.end))


@drawn
def draw_causes(found: Answers) -> Figure | None:
    """Latents on a circle; the wider an edge, the more often it was found, dashed if an end is not trusted."""
    edges, n_latents = found.graph.edges, found.n_latents
    if n_latents < 2:
        return None
    few = n_latents <= NUMBERS_INSIDE
    angles = np.pi / 2 - 2 * np.pi * np.arange(n_latents) / n_latents  # the first at the top, then clockwise
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    side = 4.2 if few else 5.8
    figure = style.new_figure(side, side)
    axis = figure.subplots()
    axis.set(aspect="equal", xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
    axis.axis("off")
    for edge in edges:
        ends = places[edge.begin - 1], places[edge.end - 1]
        _draw_edge(axis, edge, *ends, sure={edge.begin, edge.end} <= found.sure, few=few)
        if len(edges) <= MOST_EDGE_LABELS:
            # Off the middle, where the diagonals of the circle would put their labels on each other.
            x, y = ends[0] + 0.42 * (ends[1] - ends[0])
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
            text = percent(edge.stability, 0)
            axis.text(x, y, text, ha="center", va="center", fontsize=8, zorder=4, bbox=box)
    size, letters = (26, 9) if few else (6, 7)
    numbers = range(1, n_latents + 1)
    for place, label, latent in zip(places, style.latent_labels(numbers, found.sure), numbers, strict=True):
        sure = latent in found.sure
        edge, colour = (1.6, "black") if sure else (0.9, "#595959")
        axis.plot(*place, **style.marks(sure, size=size, filled=not few), markeredgewidth=edge, zorder=5)
        x, y = place if few else 1.09 * place
        letter = {"fontsize": letters, "color": colour, "zorder": 6}
        axis.text(x, y, label, ha="center", va="center_baseline", **letter)
    return figure


def _draw_edge(axis: Axes, edge: Edge, begin: np.ndarray, end: np.ndarray, sure: bool, few: bool) -> None:
    colour, line, order = (style.DARK, "-", 2) if sure else (style.GREY, (0, (3, 2)), 1)
    # In points, from 0.6 for never to 3.4 for always; an edge of unknown stability is thin.
    width = (0.6 + 2.8 * (edge.stability or 0.0)) * (1.0 if few else 0.6)
    gap, head = (14, 16) if few else (5, 9)
    arrow = {"arrowstyle": "-|>" if edge.directed else "-", "mutation_scale": head}
    drawing = {"color": colour, "linestyle": line, "zorder": order, "linewidth": width}
    axis.add_patch(FancyArrowPatch(begin, end, shrinkA=gap, shrinkB=gap, **arrow, **drawing))
