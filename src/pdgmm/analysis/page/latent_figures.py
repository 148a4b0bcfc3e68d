"""How many latents there are, and how well independent fits agree on each of them."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pdgmm.analysis.answers import Answers, Count
from pdgmm.analysis.page import figure_style as style
from pdgmm.report.figure_files import drawn

DASHED = {"color": "black", "linestyle": (0, (4, 2))}


def scored_candidates(count: Count) -> list[tuple[int, float]]:
    """Number and held-out log-likelihood of the candidates that could be scored, by number."""
    return sorted(
        (candidate.n, candidate.held_out_log_likelihood)
        for candidate in count.candidates
        if candidate.held_out_log_likelihood is not None
    )


@drawn
def draw_count(found: Answers) -> Figure:
    """Bars, one a principal direction, dark up to the chosen number; below them the candidates, if compared."""
    scored = scored_candidates(found.count)
    figure = style.new_figure(style.NARROW_INCHES, 4.6 if scored else 2.5)
    axes = figure.subplots(2 if scored else 1, 1, squeeze=False).ravel()
    for axis in axes:
        style.clear_frame(axis)
    _draw_variance(axes[0], found.count.explained_variance, found.count.chosen)
    if scored:
        _draw_likelihood(axes[1], scored, found.count.chosen)
    for axis in axes:
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _draw_variance(axis: Axes, shares: list[float], chosen: int) -> None:
    places = range(1, len(shares) + 1)
    colours = [style.DARK if place <= chosen else style.PALE for place in places]
    axis.bar(places, shares, color=colours, width=0.8)
    axis.axvline(chosen + 0.5, **DASHED, linewidth=1.0)
    axis.annotate(
        f"chosen: {chosen}",
        (chosen + 0.5, 0.97),
        xycoords=axis.get_xaxis_transform(),
        xytext=(4, 0),
        textcoords="offset points",
        # Beside the line, on the side where there is room.
        ha="left" if chosen < 0.7 * len(shares) else "right",
        va="top",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )
    axis.set_xlim(0.3, max(len(shares), chosen) + 0.9)
    style.percent_scale(axis.yaxis, max(shares))
    axis.set(xlabel="principal direction of the data", ylabel="share of variance")


def _draw_likelihood(axis: Axes, scored: list[tuple[int, float]], chosen: int) -> None:
    axis.plot(*zip(*scored, strict=True), color=style.DARK, marker="o", markersize=4.5, linewidth=1.2)
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
    figure, axis = style.latent_rows(order, found.trusted, 1.3)
    for place, latent in enumerate(order):
        entry = found.identified.latents[latent - 1]
        if entry.weak is not None:
            axis.plot(entry.weak, place, **style.marks(entry.trusted, "D", 7, filled=False), zorder=3)
        if entry.strong is not None:
            axis.plot(entry.strong, place, **style.marks(entry.trusted), zorder=4)
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
    kinds = {
        "strong, trusted": style.marks(True),
        "strong, not trusted (?)": style.marks(False),
        "weak": style.marks(True, "D", 7, filled=False),
    }
    handles = [Line2D([], [], **marks, label=label) for label, marks in kinds.items()]
    layout = {"loc": "outside lower center", "ncols": 3, "handletextpad": 0.2, "columnspacing": 1.2}
    figure.legend(handles=handles, frameon=False, fontsize=8, **layout)
    return figure
