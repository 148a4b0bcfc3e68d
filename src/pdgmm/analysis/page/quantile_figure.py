"""Q-Q plots: is a latent Gaussian where it does not rest?"""

from collections import Counter
from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pdgmm.analysis.answers import Answers, LatentAssumptions
from pdgmm.analysis.page.figure_style import BAND, marks, new_panels
from pdgmm.analysis.page.page_parts import Picture
from pdgmm.analysis.page.verdicts import FROM_WORST, WORDS
from pdgmm.analysis.wording import count_of, latents
from pdgmm.report.figure_files import SETTINGS

MOST_PANELS = 12
PANELS_PER_ROW = 4
PANEL_INCHES = 1.75


def quantile_pictures(found: Answers) -> list[Picture]:
    """Q-Q plots of the latents with the worst verdicts; none where no latent has quantiles."""
    shown = shown_latents(found.assumptions.latents)
    if not shown:
        return []
    counts = Counter(entry.verdict for entry in shown)
    summary = ", ".join(f"{WORDS[v]}: {counts[v]}" for v in reversed(FROM_WORST) if counts[v])
    left_out = found.n_latents - len(shown)
    some = f"The {len(shown)} with the worst verdicts are drawn, {left_out} more are in the table. "
    return [
        Picture(
            "normality",
            "Q–Q plots",
            draw_quantiles(shown, found.trusted),
            f"{count_of(len(shown), 'Q-Q plot')}, for {latents([entry.latent for entry in shown])}. A Gaussian "
            f"latent follows its dashed line. Verdicts, {summary}; the table says what is wrong with each.",
            "Is a latent Gaussian in the rows in which it does not rest? Then its dots lie on the dashed line. "
            f"{some if left_out else ''}Grey panels with a question mark belong to latents that cannot be trusted.",
            wide=len(shown) > 4,
        )
    ]


def shown_latents(entries: Sequence[LatentAssumptions]) -> list[LatentAssumptions]:
    """At most 12 latents that have quantiles, those with the worst verdicts, in the order of their numbers."""
    drawable = [entry for entry in entries if len(entry.quantiles.normal) > 1]
    worst_first = sorted(drawable, key=lambda entry: FROM_WORST.index(entry.verdict))
    return sorted(worst_first[:MOST_PANELS], key=lambda entry: entry.latent)


def draw_quantiles(entries: Sequence[LatentAssumptions], trusted: frozenset[int]) -> Figure:
    """A panel a latent: its observed quantiles against normal ones, with the line of a Gaussian."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = new_panels(len(entries), PANELS_PER_ROW, PANEL_INCHES, (0.4, 0.3))
        for axis, entry in zip(axes, entries, strict=False):
            _draw(axis, entry, entry.latent in trusted)
        figure.supxlabel("quantile of a normal distribution", fontsize=9)
        figure.supylabel("quantile of the latent", fontsize=9)
    return figure


def _draw(axis: Axes, entry: LatentAssumptions, trusted: bool) -> None:
    normal, observed = np.array(entry.quantiles.normal), np.array(entry.quantiles.observed)
    # Through the quartiles, as they are not moved by the tails that the plot is to judge.
    (x_low, x_high), (y_low, y_high) = np.quantile(normal, [0.25, 0.75]), np.quantile(observed, [0.25, 0.75])
    slope = (y_high - y_low) / (x_high - x_low) if x_high > x_low else 0.0
    ends = normal[[0, -1]]
    axis.plot(ends, y_low + slope * (ends - x_low), color="black", linewidth=0.9, linestyle=(0, (4, 2)))
    axis.plot(normal, observed, **marks(trusted, size=3), markeredgewidth=0.6)
    if not trusted:
        axis.set_facecolor(BAND)
    axis.set_box_aspect(1)
    axis.tick_params(labelsize=6.5, length=2)
    axis.locator_params(nbins=4)
    axis.set_title(f"latent {entry.latent}{'' if trusted else ' ?'}: {WORDS[entry.verdict]}", fontsize=8)
