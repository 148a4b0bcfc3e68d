"""Draw which learned latents match which true ones, or which blocks of them, methods side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pdgmm.report.figure_files import save_figures
from pdgmm.report.heatmaps import Panel, draw_heatmaps
from pdgmm.store.checked_json import read_scores


def draw_scores(scores: Sequence[Path], stem: Path) -> None:
    """Draw the scores on the first held-out split of every ``scores.json`` into ``<stem>.svg`` and ``<stem>.png``.

    These are correlations, or the R2 of blocks where the dataset has latents in blocks.
    """
    runs = [read_scores(path) for path in scores]
    save_figures(
        draw_heatmaps(f"{runs[0]['dataset']}, seed {runs[0]['seed']}", [_panel(run) for run in runs]), stem
    )


def _panel(run: dict[str, Any]) -> Panel:
    if run["status"] != "ok":
        return Panel(run["method"], size=run["size"], status=run["status"], reason=run["reason"])
    test = run["scores"][run["places"][0]]
    if "block_r2" in test:
        return Panel(
            run["method"],
            np.array(test["block_r2"]),
            np.array(test["block_assignment"]),
            test["block_r2_diagonal_min"],
            run["size"],
            block_sizes=np.array(test["block_sizes"]),
        )
    return Panel(
        run["method"], np.array(test["correlation"]), np.array(test["assignment"]), test["mcc"], run["size"]
    )
