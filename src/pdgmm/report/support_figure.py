"""A picture of a potentially degenerate mixture: two supports, and what the mixing makes of them."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.axes3d import Axes3D

from pdgmm.report.figure_files import drawn

STYLES = (("#0072b2", "o"), ("#d55e00", "^"))
"""Colour and marker of each component: told apart by colour-blind readers and in grey."""

VIEW = {"elev": 22, "azim": -58}


@drawn
def draw_supports(z: np.ndarray, x: np.ndarray, component: np.ndarray, names: list[str]) -> Figure:
    """Latents ``z`` (samples, 3) on the left, observations ``x`` (samples, 3) on the right.

    ``component`` (samples,) numbers the components from 0; ``names`` says in words what each of them is.
    """
    figure = Figure(figsize=(9.4, 4.8))
    FigureCanvasAgg(figure)
    for place, (values, letter, title) in enumerate(
        [(z, "z", "latent space"), (x, "x", "observation, after a piecewise affine mixing")], start=1
    ):
        axis = figure.add_subplot(1, 2, place, projection="3d")
        _draw_samples(axis, values, component, names)
        _label(axis, letter, title)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(names), frameon=False, markerscale=2)
    figure.subplots_adjust(left=0.02, right=0.95, bottom=0.12, top=0.93, wspace=0.08)
    return figure


def _draw_samples(axis: Axes3D, values: np.ndarray, component: np.ndarray, names: list[str]) -> None:
    for number, (name, (colour, marker)) in enumerate(zip(names, STYLES, strict=True)):
        chosen = values[component == number]
        axis.scatter(*chosen.T, s=9, c=colour, marker=marker, linewidths=0, alpha=0.6, label=name)


def _label(axis: Axes3D, letter: str, title: str) -> None:
    axis.set_title(title, fontsize=11)
    axis.set(xlabel=f"${letter}_1$", ylabel=f"${letter}_2$", zlabel=f"${letter}_3$")
    axis.tick_params(labelsize=7, pad=0)
    axis.view_init(**VIEW)
    axis.set_box_aspect(None, zoom=1.05)
