"""Compare the graphs among learned and among true latents with the true CPDAG."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from pdgmm.evaluation.graphs.cpdag import cpdag_of_dag
from pdgmm.evaluation.graphs.graph_scores import graph_scores
from pdgmm.store import hdf5
from pdgmm.store.checked_json import read_scores, write_scores


def score_graph(dataset: Path, learned: Path, true_latents: Path, label_json: str, out: Path) -> None:
    """Write the scores of the graphs among a run's ``learned`` latents and among the ``true_latents`` as JSON.

    The file also holds the graphs, for figures. ``true`` is the CPDAG of the dataset's DAG, which a perfect method
    would find. For a failed fit ``learned`` is null, and the file holds the status and reason of the fit.
    """
    with hdf5.opened(dataset, "dataset") as data:
        cpdag = cpdag_of_dag(data["scm/adjacency"][()])
        seed = hdf5.about(data, "seed")
    found = {
        "learned": read_scores(learned, "graph"),
        "true_latents": read_scores(true_latents, "graph"),
    }
    run: dict[str, Any] = {
        **json.loads(label_json),
        "dataset": dataset.parent.name,
        "seed": seed,
        "status": found["learned"]["status"],
        "reason": found["learned"]["reason"],
        "graphs": {"true": cpdag.tolist()},
    }
    for name, graph in found.items():
        adjacency = graph["adjacency"]
        run["graphs"][name] = adjacency
        run[name] = None if adjacency is None else graph_scores(cpdag, np.array(adjacency, dtype=np.uint8))
    write_scores(out, "graph scores", run)
