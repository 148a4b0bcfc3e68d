"""The graph of causes among the latents, with how sure each edge is."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from pdgmm.analysis.answers import Answers, Edge
from pdgmm.analysis.page.figure_style import DARK, GREY, latent_labels, marks, new_figure
from pdgmm.analysis.wording import percent
from pdgmm.report.figure_files import drawn
from pdgmm.report.graph_figure import NUMBERS_INSIDE

MOST_EDGE_LABELS = 20
"""With more edges than this their labels would cover each other; the widths remain."""


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
    figure = new_figure(side, side)
    axis = figure.subplots()
    axis.set(aspect="equal", xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
    axis.axis("off")
    for edge in edges:
        ends = places[edge.begin - 1], places[edge.end - 1]
        _draw_edge(axis, edge, *ends, sure={edge.begin, edge.end} <= found.trusted, few=few)
        if len(edges) <= MOST_EDGE_LABELS:
            # Off the middle, where the diagonals of the circle would put their labels on each other.
            x, y = ends[0] + 0.42 * (ends[1] - ends[0])
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
            text = percent(edge.stability, 0)
            axis.text(x, y, text, ha="center", va="center", fontsize=8, zorder=4, bbox=box)
    size, letters = (26, 9) if few else (6, 7)
    numbers = range(1, n_latents + 1)
    for place, label, latent in zip(places, latent_labels(numbers, found.trusted), numbers, strict=True):
        sure = latent in found.trusted
        edge, colour = (1.6, "black") if sure else (0.9, "#595959")
        axis.plot(*place, **marks(sure, size=size, filled=not few), markeredgewidth=edge, zorder=5)
        x, y = place if few else 1.09 * place
        style = {"fontsize": letters, "color": colour, "zorder": 6}
        axis.text(x, y, label, ha="center", va="center_baseline", **style)
    return figure


def _draw_edge(axis: Axes, edge: Edge, begin: np.ndarray, end: np.ndarray, sure: bool, few: bool) -> None:
    colour, line, order = (DARK, "-", 2) if sure else (GREY, (0, (3, 2)), 1)
    # In points, from 0.6 for never to 3.4 for always; an edge of unknown stability is thin.
    width = (0.6 + 2.8 * (edge.stability or 0.0)) * (1.0 if few else 0.6)
    gap, head = (14, 16) if few else (5, 9)
    arrow = {"arrowstyle": "-|>" if edge.directed else "-", "mutation_scale": head}
    style = {"color": colour, "linestyle": line, "zorder": order, "linewidth": width}
    axis.add_patch(FancyArrowPatch(begin, end, shrinkA=gap, shrinkB=gap, **arrow, **style))
