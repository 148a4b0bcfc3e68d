"""The steps around graphs: files in, files out."""

import json

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.evaluation.graphs.cpdag import cpdag_of_dag
from pdgmm.steps.discover_graph import discover_graph
from pdgmm.steps.draw_graphs import draw_graph_scores
from pdgmm.steps.generate import generate_dataset
from pdgmm.steps.score_graph import score_graph
from pdgmm.store import hdf5

LABEL = json.dumps({"method": "identity", "size": "9 steps"})


@pytest.fixture
def dataset(tmp_path):
    path = tmp_path / "pdgmm-00000000" / "seed-3.h5"
    counts = {"train": 10, "test": 10, "unmasked": 5000, "independent": 10}
    generate_dataset("pdgmm", json.dumps({"n": 5, "m": 2, "samples": counts}), 3, path)
    return path


def scored(dataset, latents, folder):
    """The graphs of a run and of the true latents, scored."""
    graph, true_graph, scores = (folder / f"{name}.json" for name in ("graph", "true_graph", "scores"))
    discover_graph(dataset, latents, "pc", "{}", graph)
    discover_graph(dataset, None, "pc", "{}", true_graph)
    score_graph(dataset, graph, true_graph, LABEL, scores)
    return json.loads(graph.read_text()), json.loads(scores.read_text())


def test_latents_in_another_order_and_sign_have_the_graph_of_the_true_ones(dataset, tmp_path):
    latents = tmp_path / "latents.h5"
    with hdf5.opened(dataset, "dataset") as data:
        z, dag = data["unmasked/z"][()], data["scm/adjacency"][()]
    with hdf5.create(latents, "latents", {"status": "ok", "reason": ""}) as file:
        hdf5.put(file, "unmasked/z_hat", -3 * z[:, ::-1])
    graph, scores = scored(dataset, latents, tmp_path)
    assert graph["status"] == "ok"
    assert graph["settings"]["alpha"] == 0.05
    assert graph["notes"] == {
        "constant": [],
        "duplicates": [],
        "contradicted_edges": 0,
        "most_conditions": None,
    }
    assert scores["graphs"]["true"] == cpdag_of_dag(dag).tolist()
    assert graph["adjacency"] == scores["graphs"]["learned"] == scores["graphs"]["true_latents"]
    assert scores["learned"] == scores["true_latents"]
    assert (scores["method"], scores["size"], scores["seed"]) == ("identity", "9 steps", 3)


def test_where_latents_were_rotated_the_graph_is_of_those_before(tmp_path):
    graphs = {}
    for theta in (0, 30):
        dataset = tmp_path / f"pdgmm-{theta}" / "seed-3.h5"
        counts = {"train": 10, "test": 10, "unmasked": 5000, "independent": 10}
        generate_dataset("pdgmm", json.dumps({"n": 5, "m": 2, "theta": theta, "samples": counts}), 3, dataset)
        latents = tmp_path / f"latents-{theta}.h5"
        with hdf5.opened(dataset, "dataset") as data:
            before = data["unmasked/source" if theta else "unmasked/z"][()]
        with hdf5.create(latents, "latents", {"status": "ok", "reason": ""}) as file:
            hdf5.put(file, "unmasked/z_hat", -3 * before[:, ::-1])
        graph, scores = scored(dataset, latents, tmp_path)
        assert scores["learned"] == scores["true_latents"]
        graphs[theta] = (graph["adjacency"], scores["graphs"]["true"])
    assert graphs[0] == graphs[30]


def test_a_failed_fit_has_no_graph_and_says_so(dataset, tmp_path):
    latents = tmp_path / "latents.h5"
    with hdf5.create(latents, "latents", {"status": "diverged", "reason": "stage 1: loss is NaN"}):
        pass
    graph, scores = scored(dataset, latents, tmp_path)
    for file in (graph, scores):
        assert (file["status"], file["reason"]) == ("diverged", "stage 1: loss is NaN")
    assert graph["adjacency"] is scores["learned"] is None
    assert scores["true_latents"]["shd"] >= 0
    draw_graph_scores([tmp_path / "scores.json"], "pc", tmp_path / "figure")
    assert b"diverged" in (tmp_path / "figure.svg").read_bytes()


def test_a_dataset_without_a_causal_graph_is_named(tmp_path):
    path = tmp_path / "other.h5"
    with hdf5.create(path, "dataset", {"generator": "balls", "seed": 0}) as file:
        hdf5.put(file, "unmasked/z", np.zeros((3, 2)))
    with pytest.raises(UserError, match="'balls' have no causal graph.*take `graphs` out"):
        discover_graph(path, None, "pc", "{}", tmp_path / "graph.json")
