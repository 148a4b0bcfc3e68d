"""Draw the exact likelihood of a toy along single parameters for which it has several minima."""

import itertools
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from scipy.signal import find_peaks

from pdgmm.report.figure_files import drawn, new_figure, save_figures
from pdgmm.theory.likelihood_toy import CURVES, LikelihoodToy, Parameters, Search

POINTS, FEW_POINTS = 241, 31
"""Points of a curve that is drawn, and of one that is only tried."""

MARGIN = 1.0
"""How far beyond the grid a parameter is moved."""

MOST_TRUTHS = 40
"""True models that are tried in search of curves with several minima."""

SHOWN = 3
"""The number of curves in the figure."""

DEPTH = 1e-3
"""How far, in nats, a minimum must lie below the hills around it; smaller dips may be rounding errors."""


class Curve(NamedTuple):
    """The negative log-likelihood ``nll`` (points,) at ``values`` of one parameter; its true value is ``truth``."""

    name: str
    values: np.ndarray
    nll: np.ndarray
    truth: float

    @property
    def minima(self) -> np.ndarray:
        """The parameter values at the minima that are deep enough."""
        inner, _ = find_peaks(-self.nll, prominence=DEPTH)
        return self.values[inner]


def draw_likelihood(settings_json: str, stem: Path) -> None:
    """Draw three curves of the first toy into ``<stem>.svg`` and ``<stem>.png``."""
    search = Search(LikelihoodToy.model_validate(json.loads(settings_json)[0]))
    truths = [
        one
        for one in search.draw()
        if one.model.kind == "weakly injective" and all(one.weights) and all(one.neurons[:4])
    ]
    save_figures(draw_curves(with_several_minima(search, truths[:MOST_TRUTHS])), stem)


def with_several_minima(search: Search, truths: list[Parameters]) -> list[Curve]:
    """The first ``SHOWN`` curves with more than one minimum, of different parameters if possible."""
    found: dict[str, list[Curve]] = {name: [] for name in CURVES[::-1]}
    for name, truth in itertools.product(found, truths):
        if len(found[name]) < SHOWN and len(_curve(search, truth, name, FEW_POINTS).minima) > 1:
            found[name].append(_curve(search, truth, name, POINTS))
    in_turn = itertools.chain.from_iterable(itertools.zip_longest(*found.values()))
    return [curve for curve in in_turn if curve is not None][:SHOWN]


def _curve(search: Search, truth: Parameters, name: str, points: int) -> Curve:
    true = (*truth.neurons[::2], truth.means[0])[CURVES.index(name)]
    grid = search.toy.means if name == "mu_1" else search.toy.coefficients
    values = np.union1d(np.linspace(min(grid) - MARGIN, max(grid) + MARGIN, points), [true])
    return Curve(name, values, search.curve(truth, name, values), true)


@drawn
def draw_curves(curves: list[Curve]) -> Figure:
    """One panel per curve, each of another true model, with vertical lines at the true value and at the minimum."""
    figure = new_figure(3.2 * max(1, len(curves)), 3.2)
    figure.suptitle("One parameter of a model changes, the others have their true values", fontsize=10)
    axes = np.atleast_1d(figure.subplots(1, max(1, len(curves))))
    for number, (axis, curve) in enumerate(zip(axes, curves, strict=False), start=1):
        axis.plot(curve.values, curve.nll, color="#0072b2")
        lowest = curve.values[curve.nll.argmin()]
        axis.axvline(curve.truth, color="#d55e00", linewidth=3, alpha=0.5, label="truth")
        axis.axvline(lowest, color="black", linestyle="--", linewidth=1, label="global minimum")
        axis.set(title=f"true model {number}", xlabel=f"$\\{curve.name}$")
    axes[0].set_ylabel("negative log-likelihood (nats)")
    if curves:
        axes[0].legend(fontsize=7)
    return figure
