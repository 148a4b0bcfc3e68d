"""Q-Q plots: is a latent Gaussian where it does not rest?"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pdgmm.analysis.answers import Answers, LatentAssumptions
from pdgmm.analysis.page.figure_style import BAND, marks, new_panels
from pdgmm.analysis.page.verdicts import FROM_WORST, WORDS
from pdgmm.report.figure_files import drawn

MOST_PANELS = 12
PANELS_PER_ROW = 4
PANEL_INCHES = 1.75


def shown_quantiles(found: Answers) -> list[LatentAssumptions]:
    """At most 12 latents that have quantiles, those with the worst verdicts, in the order of their numbers."""
    drawable = [entry for entry in found.assumptions.latents if len(entry.quantiles.normal) > 1]
    worst_first = sorted(drawable, key=lambda entry: FROM_WORST.index(entry.verdict))
    return sorted(worst_first[:MOST_PANELS], key=lambda entry: entry.latent)


@drawn
def draw_quantiles(found: Answers) -> Figure | None:
    """A panel a latent: its observed quantiles against normal ones, with the line of a Gaussian."""
    shown = shown_quantiles(found)
    if not shown:
        return None
    figure, axes = new_panels(len(shown), PANELS_PER_ROW, PANEL_INCHES, (0.4, 0.3))
    for axis, entry in zip(axes, shown, strict=False):
        _draw(axis, entry, entry.latent in found.trusted)
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
