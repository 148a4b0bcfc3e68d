"""The graph of causes among the latents, with how sure each edge is."""

from collections.abc import Sequence
from operator import attrgetter

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from pdgmm.analysis.answers import Answers, Edge
from pdgmm.analysis.page.figure_style import DARK, GREY, latent_labels, new_figure
from pdgmm.analysis.page.page_parts import Picture
from pdgmm.analysis.wording import count_of, percent
from pdgmm.report.figure_files import SETTINGS
from pdgmm.report.graph_figure import NUMBERS_INSIDE

MOST_EDGE_LABELS = 20
"""With more edges than this their labels would cover each other; the widths remain."""


def causes_pictures(found: Answers) -> list[Picture]:
    """The graph, where there are latents enough for one."""
    if found.n_latents < 2:
        return []
    edges = found.graph.edges
    label = ", and the number on it the stability" if 0 < len(edges) <= MOST_EDGE_LABELS else ""
    return [
        Picture(
            "graph",
            "Causes and effects",
            draw_causes(edges, found.n_latents, found.trusted),
            f"Graph of {count_of(found.n_latents, 'latent')} on a circle with {_seen(found)}.",
            "An arrow goes from cause to effect; for a line without arrowhead the data do not tell the direction. "
            f"The wider an edge, the more stable{label}. Grey, dashed and with a question mark: not to be trusted.",
        )
    ]


def stable_first(edges: Sequence[Edge]) -> list[Edge]:
    """The edges, the most stable ones first."""
    return sorted(edges, key=lambda edge: (-(edge.stability or 0.0), edge.begin, edge.end))


def _seen(found: Answers) -> str:
    edges = found.graph.edges
    if not edges:
        return "no edges"
    directed = sum(edge.directed for edge in edges)
    seen = f"{count_of(directed, 'arrow')} and {count_of(len(edges) - directed, 'edge')} without direction"
    if most := max(
        (edge for edge in edges if edge.stability is not None), key=attrgetter("stability"), default=None
    ):
        seen += (
            f"; the most stable joins latents {most.begin} and {most.end}, found in {percent(most.stability)} of the "
            "repetitions"
        )
    unsure = sum(not {edge.begin, edge.end} <= found.trusted for edge in edges)
    return seen + (f". {unsure} dashed in grey, as an end cannot be trusted" if unsure else "")


def draw_causes(edges: Sequence[Edge], n_latents: int, trusted: frozenset[int]) -> Figure:
    """Latents on a circle; the wider an edge, the more often it was found, dashed if an end is not trusted."""
    few = n_latents <= NUMBERS_INSIDE
    angles = np.pi / 2 - 2 * np.pi * np.arange(n_latents) / n_latents  # the first at the top, then clockwise
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    side = 4.2 if few else 5.8
    with matplotlib.rc_context(SETTINGS):
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


def edge_width(stability: float | None) -> float:
    """In points, from 0.6 for never to 3.4 for always; an edge of unknown stability is thin."""
    return 0.6 + 2.8 * (stability or 0.0)


def _draw_edge(
    axis: Axes, edge: Edge, places: np.ndarray, trusted: frozenset[int], few: bool, labelled: bool
) -> None:
    sure = {edge.begin, edge.end} <= trusted
    begin, end = places[edge.begin - 1], places[edge.end - 1]
    gap = 14 if few else 5
    axis.add_patch(
        FancyArrowPatch(
            begin,
            end,
            arrowstyle="-|>" if edge.directed else "-",
            mutation_scale=16 if few else 9,
            shrinkA=gap,
            shrinkB=gap,
            color=DARK if sure else GREY,
            linestyle="-" if sure else (0, (3, 2)),
            linewidth=edge_width(edge.stability) * (1.0 if few else 0.6),
            zorder=2 if sure else 1,
        )
    )
    if labelled:
        # Off the middle, where the diagonals of the circle would put their labels on each other.
        x, y = begin + 0.42 * (end - begin)
        axis.text(
            x,
            y,
            percent(edge.stability, 0),
            ha="center",
            va="center",
            fontsize=8,
            zorder=4,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2},
        )


def _draw_latents(axis: Axes, places: np.ndarray, trusted: frozenset[int], few: bool) -> None:
    labels = latent_labels(range(1, len(places) + 1), trusted)
    for place, label, latent in zip(places, labels, range(1, len(places) + 1), strict=True):
        sure = latent in trusted
        face = "white" if few or not sure else DARK
        axis.plot(
            *place,
            marker="o",
            markersize=26 if few else 6,
            markerfacecolor=face,
            markeredgecolor=DARK if sure else GREY,
            markeredgewidth=1.6 if sure else 0.9,
            zorder=5,
        )
        x, y = place if few else 1.09 * place
        colour = "black" if sure else "#595959"
        axis.text(
            x, y, label, ha="center", va="center_baseline", fontsize=9 if few else 7, color=colour, zorder=6
        )
