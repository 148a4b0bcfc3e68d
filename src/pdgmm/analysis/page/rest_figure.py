"""How often each latent rests at its one value."""

import matplotlib
from matplotlib.figure import Figure

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.page.figure_style import DARK, GREY, latent_rows, marks, percent_scale
from pdgmm.analysis.page.page_parts import Picture
from pdgmm.analysis.wording import count_of, percent
from pdgmm.report.figure_files import SETTINGS


def rest_pictures(found: Answers) -> list[Picture]:
    """The share of rows in which each latent rests."""
    caption = (
        "How often each latent rests at one value. A latent that never rests, or always does, cannot be told from "
        "the others by when it is active. Grey rows with a question mark cannot be trusted."
    )
    return [Picture("rest", "How often latents rest", draw_rest(found), _alternative(found), caption)]


def draw_rest(found: Answers) -> Figure:
    """A row a latent: a line from 0 to the share of rows in which it rests."""
    entries = found.assumptions.latents
    with matplotlib.rc_context(SETTINGS):
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


def _alternative(found: Answers) -> str:
    known = [entry for entry in found.assumptions.latents if entry.spike_share is not None]
    start = f"Dot plot with a row for each of {count_of(found.n_latents, 'latent')}."
    if not known:
        return f"{start} There are no dots: the shares could not be measured."
    low, high = (pick(known, key=lambda entry: entry.spike_share) for pick in (min, max))
    return (
        f"{start} The share of rows at rest goes from {percent(low.spike_share)} (latent {low.latent}) to "
        f"{percent(high.spike_share)} (latent {high.latent})."
    )
