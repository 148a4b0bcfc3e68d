"""Step 6: draw the correlations between true and learned latents, methods side by side."""

from pathlib import Path
from typing import Any

import numpy as np

from pdgmm.report.heatmaps import Panel, draw_heatmaps, save_figure
from pdgmm.store.scores import read_scores


def draw_scores(scores: list[Path], stem: Path) -> None:
    """Draw the test correlations of every ``scores.json`` into ``<stem>.svg`` and ``<stem>.png``."""
    runs = [read_scores(path) for path in scores]
    figure = draw_heatmaps(f"{runs[0]['dataset']}, seed {runs[0]['seed']}", [_panel(run) for run in runs])
    for ending in ("svg", "png"):
        save_figure(figure, stem.with_name(f"{stem.name}.{ending}"))


def _panel(run: dict[str, Any]) -> Panel:
    if run["status"] != "ok":
        return Panel(run["method"], size=run["size"], status=run["status"], reason=run["reason"])
    test = run["scores"]["test"]
    return Panel(
        run["method"], np.array(test["correlation"]), np.array(test["assignment"]), test["mcc"], run["size"]
    )
