"""How often each latent rests at its one value."""

import matplotlib
from matplotlib.figure import Figure

from pdgmm.analysis.answers import Diagnostics
from pdgmm.analysis.page.figure_style import (
    DARK,
    GREY,
    NARROW_INCHES,
    clear_frame,
    latent_rows,
    new_figure,
    percent_scale,
    rows_height,
)
from pdgmm.report.figure_files import SETTINGS


def draw_rest(found: Diagnostics) -> Figure:
    """A row a latent: a line from 0 to the share of rows in which it rests."""
    entries = found.assumptions.latents
    with matplotlib.rc_context(SETTINGS):
        figure = new_figure(NARROW_INCHES, rows_height(len(entries)) + 0.8)
        axis = figure.subplots()
        clear_frame(axis)
        latent_rows(axis, [entry.latent for entry in entries], found.trusted)
        for place, entry in enumerate(entries):
            if entry.spike_share is None:
                continue
            trusted = entry.latent in found.trusted
            colour = DARK if trusted else GREY
            axis.hlines(
                place, 0, entry.spike_share, color=colour, linewidth=1.4, linestyle="-" if trusted else ":"
            )
            axis.plot(
                entry.spike_share,
                place,
                marker="o",
                markersize=5,
                color=colour,
                markerfacecolor=colour if trusted else "white",
            )
        axis.set_xlim(-0.02, 1.02)
        percent_scale(axis.xaxis, 1.0)
        axis.set_xlabel("share of rows in which the latent rests")
    return figure
