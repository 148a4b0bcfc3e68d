"""Draw the codes of several fits to the same samples side by side: are they the same up to an affine map?"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from pdgmm.report.figure_files import drawn, panel_grid, save_figures
from pdgmm.store import hdf5
from pdgmm.store.splits import MAIN

POINTS = 1500
PANEL_INCHES = 1.9
COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"),
    *("#e69f00", "#f0e442", "#000000", "#999999", "#7f3c8d"),
)


def draw_codes(dataset: Path, latents: Sequence[Path], stem: Path) -> None:
    """Draw the held-out codes in ``latents`` (``…/seed-<s>/<chain>/latents.h5``) into ``<stem>.svg`` and ``.png``.

    Points are coloured by the true component in ``dataset`` or, if it has none, by the observed class.
    """
    with hdf5.opened(dataset, "dataset") as file:
        groups = next((file[MAIN][name][()] for name in ("component", "u") if name in file[MAIN]), None)
    codes: dict[str, list[np.ndarray | None]] = {}
    for path in latents:
        with hdf5.opened(path, "latents") as file:
            found = file[MAIN]["z_hat"][()] if MAIN in file else None
        codes.setdefault(path.parent.name, []).append(found)
    seeds = dict.fromkeys(path.parent.parent.name.replace("-", " ") for path in latents)
    save_figures(draw_fits(codes, groups, list(seeds)), stem)


@drawn
def draw_fits(
    codes: dict[str, list[np.ndarray | None]], groups: np.ndarray | None, titles: Sequence[str] = ()
) -> Figure:
    """One row per method and one panel per fit; the panel of a failed fit is empty. ``titles`` are for the columns.

    Codes with more than two coordinates are projected on their two directions of largest variance.
    """
    columns = max(len(fits) for fits in codes.values())
    panels = len(codes) * columns
    figure, axes = panel_grid(panels, columns, (PANEL_INCHES, PANEL_INCHES), (0.6, 0.4), padding=0.03)
    for row, (method, fits) in zip(axes, codes.items(), strict=True):
        for axis, code in zip(row, fits, strict=False):
            axis.set(xticks=[], yticks=[])
            if code is None:
                axis.set_facecolor("#f4f4f4")
                continue
            shown = plane(code)[:POINTS]
            kinds = np.zeros(len(shown), int) if groups is None else groups[:POINTS].astype(int)
            colours = [COLOURS[kind % len(COLOURS)] for kind in kinds]
            # Points as pixels: as vectors they would make files of megabytes.
            axis.scatter(*shown.T, s=2, linewidths=0, c=colours, rasterized=True)
        # Long names in smaller letters, so that they fit beside their row.
        row[0].set_ylabel(method, fontsize=min(9, 200 / len(method)))
    for axis, title in zip(axes[0], titles, strict=False):
        axis.set_title(title, fontsize=9)
    return figure


def plane(code: np.ndarray) -> np.ndarray:
    """The code in two dimensions (samples, 2): projected on its two principal directions, or padded with zeros."""
    if code.shape[1] == 2:
        return code
    if code.shape[1] == 1:
        return np.column_stack([code, np.zeros(len(code))])
    centred = code - code.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    return centred @ vectors[:, :-3:-1]
