"""Draw an example of a potentially degenerate Gaussian mixture: three dimensions, two components."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.report.figure_files import drawn, save_figures
from pdgmm.seeds import child_generator

MASKS = np.array([[1, 1, 0], [0, 0, 1]], dtype=np.uint8)
COMPONENTS = (
    ("component 1: latents 1 and 2 active", "#0072b2", "o"),
    ("component 2: latent 3 active", "#d55e00", "^"),
)
"""Name, colour and marker of each component, distinct for colour-blind readers and in grey."""

SAMPLES = 1600
SEED = 24
"""Chosen because the bends of its mixing are easy to see."""


def draw_example_supports(stem: Path) -> None:
    """Draw a plane and a line that meet, and their images under a mixing, into ``<stem>.svg`` and ``<stem>.png``."""
    world = replace(MaskedScm(n=3, k=1, m=6, rho=0.75).build(SEED), masks=MASKS)
    arrays = world.sample("train", SAMPLES, child_generator(SEED, "supports"))
    save_figures(draw_supports(arrays["z"], arrays["x"], arrays["component"]), stem)


@drawn
def draw_supports(z: np.ndarray, x: np.ndarray, component: np.ndarray) -> Figure:
    """Latents ``z`` (samples, 3) on the left, observations ``x`` (samples, 3) on the right.

    ``component`` (samples,) numbers the components from 0.
    """
    figure = Figure(figsize=(9.4, 4.8))
    FigureCanvasAgg(figure)
    spaces = ((z, "z", "latent space"), (x, "x", "observation, after a piecewise affine mixing"))
    for place, (values, letter, title) in enumerate(spaces, start=1):
        axis = figure.add_subplot(1, 2, place, projection="3d")
        for number, (name, colour, marker) in enumerate(COMPONENTS):
            chosen = values[component == number]
            axis.scatter(*chosen.T, s=9, c=colour, marker=marker, linewidths=0, alpha=0.6, label=name)
        axis.set_title(title, fontsize=11)
        axis.set(xlabel=f"${letter}_1$", ylabel=f"${letter}_2$", zlabel=f"${letter}_3$")
        axis.tick_params(labelsize=7, pad=0)
        axis.view_init(elev=22, azim=-58)
        axis.set_box_aspect(None, zoom=1.05)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), frameon=False, markerscale=2)
    figure.subplots_adjust(left=0.02, right=0.95, bottom=0.12, top=0.93, wspace=0.08)
    return figure
