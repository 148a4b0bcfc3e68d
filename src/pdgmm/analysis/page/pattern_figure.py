"""Which latents are active together, and how often."""

from matplotlib.figure import Figure

from pdgmm.analysis.answers import Answers, Pattern
from pdgmm.analysis.page.figure_style import (
    DARK,
    NARROW_INCHES,
    clear_frame,
    latent_labels,
    marks,
    new_figure,
    percent_scale,
    set_labels,
)
from pdgmm.report.figure_files import drawn

MOST_PATTERNS = 20
NARROW_LATENTS = 12
"""With more latents than this the figure is too wide for a narrow screen."""


def shown_patterns(found: Answers) -> list[Pattern]:
    """The most frequent patterns, the most frequent first."""
    return sorted(found.assumptions.patterns, key=lambda pattern: -pattern.share)[:MOST_PATTERNS]


@drawn
def draw_patterns(found: Answers) -> Figure | None:
    """A row a pattern, most frequent first: a disc for every active latent, and a bar for its share of the rows."""
    patterns, n_latents, trusted = shown_patterns(found), found.n_latents, found.trusted
    if not patterns:
        return None
    width = max(NARROW_INCHES, 0.15 * n_latents + 3.4)
    figure = new_figure(width, 0.2 * len(patterns) + 1.0)
    matrix, bars = figure.subplots(
        1, 2, sharey=True, gridspec_kw={"width_ratios": [max(3.0, 0.25 * n_latents), 2.0]}
    )
    size = 5.5 if n_latents <= NARROW_LATENTS else 4
    for row, pattern in enumerate(patterns):
        matrix.axhline(row, color="#dddddd", linewidth=0.6, zorder=0)
        for latent in pattern.active:
            matrix.plot(latent, row, **marks(latent in trusted, size=size))
    numbers = range(1, n_latents + 1)
    set_labels(
        matrix.xaxis,
        numbers,
        latent_labels(numbers, trusted),
        rotation=0 if n_latents <= NARROW_LATENTS else 90,
    )
    matrix.set_xlim(0.4, n_latents + 0.6)
    matrix.set_ylim(len(patterns) - 0.4, -0.6)
    matrix.set_yticks([])
    matrix.set_xlabel("active latents")
    matrix.set_ylabel("pattern")
    clear_frame(matrix)
    clear_frame(bars)
    bars.barh(range(len(patterns)), [pattern.share for pattern in patterns], color=DARK, height=0.6)
    percent_scale(bars.xaxis, patterns[0].share)
    bars.locator_params(axis="x", nbins=4)
    bars.tick_params(axis="y", length=0, labelleft=False)
    bars.set_xlabel("share of rows")
    return figure
