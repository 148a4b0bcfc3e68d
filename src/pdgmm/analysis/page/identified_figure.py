"""How well independent fits agree on each latent."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.page.figure_style import latent_rows, marks
from pdgmm.report.figure_files import drawn


@drawn
def draw_identified(found: Answers) -> Figure:
    """A row a latent, blocks together: a disc at its strong score and a diamond at its weak one, from 0 to 1."""
    identified = found.identified
    order = [latent for block in identified.blocks for latent in sorted(block)]
    figure, axis = latent_rows(order, found.trusted, 1.3)
    for place, latent in enumerate(order):
        entry = identified.latents[latent - 1]
        if entry.weak is not None:
            axis.plot(entry.weak, place, **marks(entry.trusted, "D", 7, filled=False), zorder=3)
        if entry.strong is not None:
            axis.plot(entry.strong, place, **marks(entry.trusted), zorder=4)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6, zorder=1)
    axis.set_axisbelow(True)
    axis.set_xlabel("agreement between fits (1: the same)")
    _mark_blocks(axis, identified.blocks)
    _draw_legend(figure)
    return figure


def _mark_blocks(axis: Axes, blocks: Sequence[Sequence[int]]) -> None:
    """A bracket at the right of every block of several latents."""
    first = 0
    for place, block in enumerate(blocks, start=1):
        if len(block) > 1:
            ends = [first - 0.35, first + len(block) - 0.65]
            axis.plot([1.04, 1.04], ends, color="black", linewidth=1.2, clip_on=False)
            axis.text(1.055, sum(ends) / 2, f"block {place}", va="center", fontsize=8)
        first += len(block)


def _draw_legend(figure: Figure) -> None:
    figure.legend(
        handles=[
            Line2D([], [], **marks(True), label="strong, trusted"),
            Line2D([], [], **marks(False), label="strong, not trusted (?)"),
            Line2D([], [], **marks(True, "D", 7, filled=False), label="weak"),
        ],
        loc="outside lower center",
        ncols=3,
        frameon=False,
        handletextpad=0.2,
        columnspacing=1.2,
        fontsize=8,
    )
