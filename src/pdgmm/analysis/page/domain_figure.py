"""How the latents differ between domains: a panel a latent, with its mean and deviation in every domain."""

import numpy as np
from matplotlib.figure import Figure

from pdgmm.analysis.answers import Answers, LatentChange
from pdgmm.analysis.page import figure_style as style
from pdgmm.report.figure_files import drawn

MOST_PANELS, PANELS_PER_ROW, PANEL_INCHES = 12, 4, 1.75

MOST_NAMED = 6
"""With more domains than this they are numbered, as in the table, and not named."""


def shown_changes(found: Answers) -> list[LatentChange]:
    """At most 12 latents, those that change most, in the order of their numbers."""
    most_first = sorted(found.domains.latents, key=lambda entry: -(entry.gain or 0.0))
    return sorted(most_first[:MOST_PANELS], key=lambda entry: entry.latent)


@drawn
def draw_domains(found: Answers) -> Figure | None:
    """A dot at the mean of a latent in each domain, and a line of one deviation to both sides."""
    if found.domains is None:
        return None
    shown = shown_changes(found)
    figure, axes = style.new_panels(len(shown), PANELS_PER_ROW, PANEL_INCHES, (0.4, 0.5))
    places = np.arange(1, len(found.domains.names) + 1)
    for axis, entry in zip(axes, shown, strict=False):
        sure = entry.latent in found.sure
        means, deviations = (np.array(values, dtype=float) for values in (entry.means, entry.deviations))
        axis.vlines(places, means - deviations, means + deviations, color=style.DARK if sure else style.GREY)
        axis.plot(places, means, **style.marks(sure))
        axis.set_title(
            f"latent {entry.latent}{'' if sure else ' ?'}: {'changes' if entry.changes else 'the same'}",
            fontsize=8,
        )
        axis.margins(x=0.15)
        if not sure:
            axis.set_facecolor(style.BAND)
        style.clear_frame(axis)
        if len(places) <= MOST_NAMED:
            style.set_labels(axis.xaxis, places, style.drawn_names(found.domains.names), rotation=90)
    figure.supxlabel("domain", fontsize=9)
    figure.supylabel("mean ± deviation", fontsize=9)
    return figure
