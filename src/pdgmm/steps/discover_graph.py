"""Find the causal graph among latents, the learned ones or the true ones."""

import json
from pathlib import Path

import h5py
import numpy as np

from pdgmm.errors import UserError
from pdgmm.evaluation.graphs import graph_class
from pdgmm.evaluation.graphs.discovery import discover, matched
from pdgmm.seeds import child_seed
from pdgmm.store import hdf5
from pdgmm.store.checked_json import write_scores

SPLIT = "unmasked"
"""The split with every latent active: masks would hide causal dependence."""


def discover_graph(dataset: Path, latents: Path | None, method: str, settings_json: str, out: Path) -> None:
    """Write the graph among a run's latents (among the true latents if ``latents`` is None) as JSON.

    Learned latents are matched to the true ones and given their signs, on the same samples, so the graphs of all
    methods have the same variables. ``adjacency[i][j] = 1`` and ``adjacency[j][i] = 0`` means ``i -> j``, both 1
    means ``i - j``. For a failed fit the file holds its status and reason, and no graph.
    """
    settings = graph_class(method).model_validate(json.loads(settings_json))
    status, reason = "ok", ""
    with hdf5.opened(dataset, "dataset") as data:
        seed = hdf5.about(data, "seed")
        columns: np.ndarray | None = _true_latents(data, dataset)
    if latents is not None:
        with hdf5.opened(latents, "latents") as learned:
            status, reason = hdf5.about(learned, "status"), hdf5.about(learned, "reason")
            columns = matched(columns, learned[f"{SPLIT}/z_hat"][()]) if status == "ok" else None
    found = None if columns is None else discover(settings, columns, child_seed(seed, "graph", method))
    content = {
        "dataset": dataset.parent.name,
        "seed": seed,
        "method": method,
        "settings": settings.model_dump(mode="json"),
        "status": status,
        "reason": reason,
        "adjacency": found.graph.tolist() if found else None,
        "notes": found.notes if found else {},
    }
    write_scores(out, "graph", content)


def _true_latents(data: h5py.File, path: Path) -> np.ndarray:
    """The latents that the causal model describes; if they were rotated, those before the rotation."""
    if SPLIT not in data or "scm/adjacency" not in data:
        raise UserError(
            f"{path}: datasets of the generator {hdf5.about(data, 'generator')!r} have no causal graph of latents: "
            "take `graphs` out of the experiments that use them"
        )
    source = f"{SPLIT}/source"
    return data[source if source in data else f"{SPLIT}/z"][()]
