"""The graph of causes among the latents, with how sure each edge is."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from pdgmm.analysis.answers import Answers, Edge
from pdgmm.analysis.page.figure_style import DARK, GREY, latent_labels, marks, new_figure
from pdgmm.analysis.wording import percent
from pdgmm.report.figure_files import NUMBERS_INSIDE, drawn

MOST_EDGE_LABELS = 20
"""With more edges than this their labels would cover each other; the widths remain."""


def stable_first(edges: Sequence[Edge]) -> list[Edge]:
    """The edges, the most stable ones first."""
    return sorted(edges, key=lambda edge: (-(edge.stability or 0.0), edge.begin, edge.end))


@drawn
def draw_causes(found: Answers) -> Figure | None:
    """Latents on a circle; the wider an edge, the more often it was found, dashed if an end is not trusted."""
    edges, n_latents, trusted = found.graph.edges, found.n_latents, found.trusted
    if n_latents < 2:
        return None
    few = n_latents <= NUMBERS_INSIDE
    angles = np.pi / 2 - 2 * np.pi * np.arange(n_latents) / n_latents  # the first at the top, then clockwise
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    side = 4.2 if few else 5.8
    figure = new_figure(side, side)
    axis = figure.subplots()
    axis.set_aspect("equal")
    axis.set_xlim(-1.2, 1.2)
    axis.set_ylim(-1.2, 1.2)
    axis.axis("off")
    for edge in edges:
        _draw_edge(axis, edge, places, trusted, few, labelled=len(edges) <= MOST_EDGE_LABELS)
    _draw_latents(axis, places, trusted, few)
    return figure


def _draw_edge(
    axis: Axes, edge: Edge, places: np.ndarray, trusted: frozenset[int], few: bool, labelled: bool
) -> None:
    sure = {edge.begin, edge.end} <= trusted
    begin, end = places[edge.begin - 1], places[edge.end - 1]
    style = {
        "color": DARK if sure else GREY,
        "linestyle": "-" if sure else (0, (3, 2)),
        "zorder": 2 if sure else 1,
    }
    # In points, from 0.6 for never to 3.4 for always; an edge of unknown stability is thin.
    width = (0.6 + 2.8 * (edge.stability or 0.0)) * (1.0 if few else 0.6)
    gap, head = (14, 16) if few else (5, 9)
    arrow = {"arrowstyle": "-|>" if edge.directed else "-", "mutation_scale": head}
    axis.add_patch(FancyArrowPatch(begin, end, shrinkA=gap, shrinkB=gap, linewidth=width, **arrow, **style))
    if labelled:
        # Off the middle, where the diagonals of the circle would put their labels on each other.
        x, y = begin + 0.42 * (end - begin)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
        axis.text(x, y, percent(edge.stability, 0), ha="center", va="center", fontsize=8, zorder=4, bbox=box)


def _draw_latents(axis: Axes, places: np.ndarray, trusted: frozenset[int], few: bool) -> None:
    numbers = range(1, len(places) + 1)
    size, letters = (26, 9) if few else (6, 7)
    for place, label, latent in zip(places, latent_labels(numbers, trusted), numbers, strict=True):
        sure = latent in trusted
        edge = 1.6 if sure else 0.9
        axis.plot(*place, **marks(sure, size=size, filled=not few), markeredgewidth=edge, zorder=5)
        x, y = place if few else 1.09 * place
        style = {"fontsize": letters, "color": "black" if sure else "#595959", "zorder": 6}
        axis.text(x, y, label, ha="center", va="center_baseline", **style)
