"""How often each latent rests at its one value."""

from matplotlib.figure import Figure

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.page.figure_style import DARK, GREY, latent_rows, marks, percent_scale
from pdgmm.report.figure_files import drawn


@drawn
def draw_rest(found: Answers) -> Figure:
    """A row a latent: a line from 0 to the share of rows in which it rests."""
    entries = found.assumptions.latents
    figure, axis = latent_rows([entry.latent for entry in entries], found.trusted, 0.8)
    for place, entry in enumerate(entries):
        if entry.spike_share is None:
            continue
        trusted = entry.latent in found.trusted
        style = {"color": DARK if trusted else GREY, "linestyle": "-" if trusted else ":"}
        axis.hlines(place, 0, entry.spike_share, linewidth=1.4, **style)
        axis.plot(entry.spike_share, place, **marks(trusted))
    percent_scale(axis.xaxis, 1.0)
    axis.set_xlabel("share of rows in which the latent rests")
    return figure
