"""One day of the household: what three of its meters read, and which switches were true and which were found."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from schedules import DAY

from pdgmm.report.figure_files import drawn, new_figure, save_figure

TRUE, FOUND, UNSURE = "#9ecae1", "#0b4a8f", "#767676"
METER_COLOURS = {"L1 W": "#0b4a8f", "L2 W": "#d9822b", "L3 W": "#4d9078"}
INCHES = (5.4, 4.9)
HOURS = range(0, 25, 4)


def day_with_everything(on: pd.DataFrame) -> int:
    """The first day on which every appliance is used; the first of all if there is none."""
    used = on.to_numpy().reshape(-1, DAY, on.shape[1]).any(axis=1).all(axis=1)
    return int(used.argmax())


@drawn
def draw_day(
    path: Path,
    meters: pd.DataFrame,
    on: pd.DataFrame,
    found: Mapping[str, np.ndarray],
    trusted: Sequence[str],
) -> int:
    """Write the picture of a day and return its number, from 0.

    ``on`` (minutes, appliances) is the truth, ``found`` the switching that was read off the latent of each.
    """
    day = day_with_everything(on)
    minutes = slice(day * DAY, (day + 1) * DAY)
    figure = new_figure(*INCHES)
    top, below = figure.subplots(2, 1, sharex=True, height_ratios=[1, 1.9])
    hours = np.arange(DAY) / 60
    for name, colour in METER_COLOURS.items():
        top.plot(hours, meters[name].to_numpy()[minutes], color=colour, linewidth=0.8, label=name)
    top.set(ylabel="watts", xlim=(0, 24), xticks=HOURS)
    top.set_title("What is seen", loc="left")
    top.legend(
        loc="lower right", bbox_to_anchor=(1, 0.97), ncols=3, frameon=False, fontsize=8, handlelength=1.2
    )
    for place, name in enumerate(on):
        colour = FOUND if name in trusted else UNSURE
        _bars(below, hours, on[name].to_numpy()[minutes], place - 0.36, TRUE)
        _bars(below, hours, found[name][minutes], place + 0.02, colour)
    below.set(ylim=(on.shape[1] - 0.4, -0.6), xlabel="hour of the day")
    below.set_title("What is hidden: who is on", loc="left")
    below.set_yticks(range(on.shape[1]), labels=[name if name in trusted else f"{name} ?" for name in on])
    below.tick_params(axis="y", length=0)
    labels = {TRUE: "true", FOUND: "found", UNSURE: "found, not trusted (?)"}
    shown = labels if len(trusted) < on.shape[1] else {TRUE: "true", FOUND: "found"}
    handles = [Patch(color=colour, label=label) for colour, label in shown.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    for axis in (top, below):
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="x", color="#e4e4e4", linewidth=0.6)
        axis.set_axisbelow(True)
    save_figure(figure, path)
    return day


def _bars(axis: Axes, hours: np.ndarray, on: np.ndarray, bottom: float, colour: str) -> None:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int))).reshape(-1, 2)
    axis.broken_barh(
        [(hours[begin], (end - begin) / 60) for begin, end in edges],
        (bottom, 0.34),
        color=colour,
        linewidth=0.5,
    )
