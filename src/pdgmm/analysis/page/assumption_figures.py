"""Whether the assumptions hold: how often latents rest, how Gaussian they are else, and which are active together."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pdgmm.analysis.answers import Answers, LatentAssumptions, Pattern
from pdgmm.analysis.page import figure_style as style
from pdgmm.analysis.page.verdicts import FROM_WORST, WORDS
from pdgmm.report.figure_files import drawn

MOST_PANELS = 12
PANELS_PER_ROW = 4
PANEL_INCHES = 1.75
MOST_PATTERNS = 20
NARROW_LATENTS = 12
"""With more latents than this the figure of patterns is too wide for a narrow screen."""


@drawn
def draw_rest(found: Answers) -> Figure:
    """A row a latent: a line from 0 to the share of rows in which it rests, or words where it does not rest."""
    entries = found.assumptions.latents
    figure, axis = style.latent_rows([entry.latent for entry in entries], found.sure, 0.8)
    for place, entry in enumerate(entries):
        if not entry.rests:
            axis.text(0.01, place, "no rest value", color=style.GREY, fontsize=7, va="center")
        if entry.spike_share is None or not entry.rests:
            continue
        trusted = entry.latent in found.sure
        colour, line = (style.DARK, "-") if trusted else (style.GREY, ":")
        axis.hlines(place, 0, entry.spike_share, linewidth=1.4, color=colour, linestyle=line)
        axis.plot(entry.spike_share, place, **style.marks(trusted))
    style.percent_scale(axis.xaxis, 1.0)
    axis.set_xlabel("share of rows in which the latent rests")
    return figure


def shown_quantiles(found: Answers) -> list[LatentAssumptions]:
    """At most 12 latents that have quantiles, those with the worst verdicts, in the order of their numbers."""
    drawable = [entry for entry in found.assumptions.latents if len(entry.quantiles.normal) > 1]
    worst_first = sorted(drawable, key=lambda entry: FROM_WORST.index(entry.verdict))
    return sorted(worst_first[:MOST_PANELS], key=lambda entry: entry.latent)


@drawn
def draw_quantiles(found: Answers) -> Figure | None:
    """Q-Q plots, a panel a latent: its observed quantiles against normal ones, with the line of a Gaussian."""
    shown = shown_quantiles(found)
    if not shown:
        return None
    figure, axes = style.new_panels(len(shown), PANELS_PER_ROW, PANEL_INCHES, (0.4, 0.3))
    for axis, entry in zip(axes, shown, strict=False):
        _draw_panel(axis, entry, entry.latent in found.sure)
    figure.supxlabel("quantile of a normal distribution", fontsize=9)
    figure.supylabel("quantile of the latent", fontsize=9)
    return figure


def _draw_panel(axis: Axes, entry: LatentAssumptions, trusted: bool) -> None:
    normal, observed = np.array(entry.quantiles.normal), np.array(entry.quantiles.observed)
    # Through the quartiles, as they are not moved by the tails that the plot is to judge.
    (x_low, x_high), (y_low, y_high) = np.quantile(normal, [0.25, 0.75]), np.quantile(observed, [0.25, 0.75])
    slope = (y_high - y_low) / (x_high - x_low) if x_high > x_low else 0.0
    ends = normal[[0, -1]]
    axis.plot(ends, y_low + slope * (ends - x_low), color="black", linewidth=0.9, linestyle=(0, (4, 2)))
    axis.plot(normal, observed, **style.marks(trusted, size=3), markeredgewidth=0.6)
    if not trusted:
        axis.set_facecolor(style.BAND)
    axis.set_box_aspect(1)
    axis.tick_params(labelsize=6.5, length=2)
    axis.locator_params(nbins=4)
    axis.set_title(f"latent {entry.latent}{'' if trusted else ' ?'}: {WORDS[entry.verdict]}", fontsize=8)


def shown_patterns(found: Answers) -> list[Pattern]:
    """The most frequent patterns, the most frequent first."""
    return sorted(found.assumptions.patterns, key=lambda pattern: -pattern.share)[:MOST_PATTERNS]


@drawn
def draw_patterns(found: Answers) -> Figure | None:
    """A row a pattern, most frequent first: a disc for every active latent, and a bar for its share of the rows."""
    patterns, n_latents, trusted = shown_patterns(found), found.n_latents, found.sure
    if not patterns:
        return None
    size, rotation = (5.5, 0) if n_latents <= NARROW_LATENTS else (4, 90)
    figure = style.new_figure(max(style.NARROW_INCHES, 0.15 * n_latents + 3.4), 0.2 * len(patterns) + 1.0)
    widths = {"width_ratios": [max(3.0, 0.25 * n_latents), 2.0]}
    matrix, bars = figure.subplots(1, 2, sharey=True, gridspec_kw=widths)
    for row, pattern in enumerate(patterns):
        matrix.axhline(row, color="#dddddd", linewidth=0.6, zorder=0)
        for latent in pattern.active:
            matrix.plot(latent, row, **style.marks(latent in trusted, size=size))
    numbers = range(1, n_latents + 1)
    style.set_labels(matrix.xaxis, numbers, style.latent_labels(numbers, trusted), rotation=rotation)
    matrix.set(xlim=(0.4, n_latents + 0.6), ylim=(len(patterns) - 0.4, -0.6), yticks=[])
    matrix.set(xlabel="active latents", ylabel="pattern")
    style.clear_frame(matrix)
    style.clear_frame(bars)
    bars.barh(range(len(patterns)), [pattern.share for pattern in patterns], color=style.DARK, height=0.6)
    style.percent_scale(bars.xaxis, patterns[0].share)
    bars.locator_params(axis="x", nbins=4)
    bars.tick_params(axis="y", length=0, labelleft=False)
    bars.set_xlabel("share of rows")
    return figure
