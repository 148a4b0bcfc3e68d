"""How many latents: the variance of each principal direction, and the likelihood of unseen rows by number."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pdgmm.analysis.answers import Answers, Count
from pdgmm.analysis.page.figure_style import (
    DARK,
    NARROW_INCHES,
    PALE,
    clear_frame,
    new_figure,
    percent_scale,
)
from pdgmm.report.figure_files import drawn


@drawn
def draw_count(found: Answers) -> Figure:
    """Bars, one a principal direction, dark up to the chosen number; below them the candidates, if compared."""
    scored = scored_candidates(found.count)
    figure = new_figure(NARROW_INCHES, 4.6 if scored else 2.5)
    axes = figure.subplots(2 if scored else 1, 1, squeeze=False).ravel()
    _draw_variance(axes[0], found.count)
    if scored:
        _draw_likelihood(axes[1], scored, found.count.chosen)
    return figure


def scored_candidates(count: Count) -> list[tuple[int, float]]:
    """Number and held-out log-likelihood of the candidates that could be scored, by number."""
    return sorted(
        (candidate.n, candidate.held_out_log_likelihood)
        for candidate in count.candidates
        if candidate.held_out_log_likelihood is not None
    )


def _draw_variance(axis: Axes, count: Count) -> None:
    clear_frame(axis)
    shares = count.explained_variance
    places = range(1, len(shares) + 1)
    colours = [DARK if place <= count.chosen else PALE for place in places]
    axis.bar(places, shares, color=colours, width=0.8)
    axis.axvline(count.chosen + 0.5, color="black", linestyle=(0, (4, 2)), linewidth=1.0)
    axis.annotate(
        f"chosen: {count.chosen}",
        (count.chosen + 0.5, 0.97),
        xycoords=axis.get_xaxis_transform(),
        xytext=(4, 0),
        textcoords="offset points",
        # Beside the line, on the side where there is room.
        ha="left" if count.chosen < 0.7 * len(shares) else "right",
        va="top",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )
    axis.set_xlim(0.3, max(len(shares), count.chosen) + 0.9)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    percent_scale(axis.yaxis, max(shares))
    axis.set_xlabel("principal direction of the data")
    axis.set_ylabel("share of variance")


def _draw_likelihood(axis: Axes, scored: list[tuple[int, float]], chosen: int) -> None:
    clear_frame(axis)
    numbers, scores = zip(*scored, strict=True)
    axis.plot(numbers, scores, color=DARK, marker="o", markersize=4.5, linewidth=1.2)
    best = [score for n, score in scored if n == chosen]
    if best:
        axis.plot(
            [chosen], best, marker="o", markersize=11, markerfacecolor="none", color="black", linestyle=""
        )
        axis.axvline(chosen, color="black", linestyle=(0, (4, 2)), linewidth=0.8, zorder=0)
    axis.margins(x=0.08, y=0.15)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("number of latents (ring: chosen)")
    axis.set_ylabel("log-likelihood\nof unseen rows")
