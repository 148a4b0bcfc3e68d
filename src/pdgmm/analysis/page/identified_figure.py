"""How well independent fits agree on each latent."""

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pdgmm.analysis.answers import Identified
from pdgmm.analysis.page.figure_style import (
    DARK,
    GREY,
    NARROW_INCHES,
    clear_frame,
    latent_rows,
    new_figure,
    rows_height,
)
from pdgmm.report.figure_files import SETTINGS


def draw_identified(identified: Identified) -> Figure:
    """A row a latent, blocks together: a disc at its strong score and a diamond at its weak one, from 0 to 1."""
    order = [latent for block in identified.blocks for latent in sorted(block)]
    entries = {entry.latent: entry for entry in identified.latents}
    trusted = [latent for latent in order if entries[latent].trusted]
    with matplotlib.rc_context(SETTINGS):
        figure = new_figure(NARROW_INCHES, rows_height(len(order)) + 1.3)
        axis = figure.subplots()
        clear_frame(axis)
        latent_rows(axis, order, trusted)
        for place, latent in enumerate(order):
            entry = entries[latent]
            colour = DARK if entry.trusted else GREY
            if entry.weak is not None:
                axis.plot(
                    entry.weak,
                    place,
                    marker="D",
                    markersize=7,
                    color=colour,
                    markerfacecolor="white",
                    zorder=3,
                )
            if entry.strong is not None:
                face = colour if entry.trusted else "white"
                axis.plot(
                    entry.strong,
                    place,
                    marker="o",
                    markersize=5,
                    color=colour,
                    markerfacecolor=face,
                    zorder=4,
                )
        axis.grid(axis="x", color="#dddddd", linewidth=0.6, zorder=1)
        axis.set_axisbelow(True)
        axis.set_xlim(-0.02, 1.02)
        axis.set_xlabel("agreement between fits (1: the same)")
        _mark_blocks(axis, identified.blocks)
        _draw_legend(figure)
    return figure


def _mark_blocks(axis: Axes, blocks: Sequence[Sequence[int]]) -> None:
    """A bracket at the right of every block of several latents."""
    first = 0
    for number, block in enumerate(blocks, start=1):
        if len(block) > 1:
            ends = [first - 0.35, first + len(block) - 0.65]
            axis.plot([1.04, 1.04], ends, color="black", linewidth=1.2, clip_on=False)
            axis.text(1.055, sum(ends) / 2, f"block {number}", va="center", fontsize=8)
        first += len(block)


def _draw_legend(figure: Figure) -> None:
    def sign(marker: str, size: float, colour: str, face: str, label: str) -> Line2D:
        return Line2D(
            [],
            [],
            linestyle="",
            marker=marker,
            markersize=size,
            color=colour,
            markerfacecolor=face,
            label=label,
        )

    figure.legend(
        handles=[
            sign("o", 5, DARK, DARK, "strong, trusted"),
            sign("o", 5, GREY, "white", "strong, not trusted (?)"),
            sign("D", 7, DARK, "white", "weak"),
        ],
        loc="outside lower center",
        ncols=3,
        frameon=False,
        handletextpad=0.2,
        columnspacing=1.2,
        fontsize=8,
    )
