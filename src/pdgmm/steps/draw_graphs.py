"""Draw the true graph, that of the true latents and that of each method side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pdgmm.report.figure_files import save_figures
from pdgmm.report.graph_figure import Panel, draw_graphs
from pdgmm.store.checked_json import read_scores


def draw_graph_scores(scores: Sequence[Path], name: str, stem: Path) -> None:
    """Draw the graphs in every ``graph_scores-<name>.json`` of one dataset into ``<stem>.svg`` and ``<stem>.png``."""
    runs = [read_scores(path, "graph scores") for path in scores]
    graphs = runs[0]["graphs"]
    panels = [Panel(f"{name} on the true latents", _matrix(graphs["true_latents"]))]
    panels += [_panel(run, name) for run in runs]
    title = f"Causal graphs: {runs[0]['dataset']}, seed {runs[0]['seed']}"
    save_figures(draw_graphs(title, _matrix(graphs["true"]), panels), stem)


def _panel(run: dict[str, Any], name: str) -> Panel:
    title = f"{name} on {run['method']}"
    if run["status"] != "ok":
        return Panel(title, status=run["status"], reason=run["reason"], size=run["size"])
    return Panel(title, _matrix(run["graphs"]["learned"]), size=run["size"])


def _matrix(rows: list[list[int]]) -> np.ndarray:
    return np.array(rows, dtype=np.uint8)
