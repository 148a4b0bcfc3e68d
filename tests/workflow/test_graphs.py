"""Causal graphs in a study: found, scored, tabulated, drawn, and made again only where something changed."""

import json

import pytest

pytestmark = pytest.mark.slow

GRAPHS_AND_WHAT_FOLLOWS = {
    "discover_graph": 2,
    "discover_true_graph": 1,
    "score_graph": 2,
    "draw_graphs": 1,
    "tabulate": 1,
    "summarise": 1,
}


@pytest.fixture(scope="module")
def with_graphs(finished_once, tmp_path_factory):
    """The finished tiny study, with graphs added."""
    project = finished_once.copy(tmp_path_factory.mktemp("graphs") / "project")
    config = project.config
    config["graphs"] = {"pc": {"alpha": 0.05}}
    config["experiments"]["tiny"]["graphs"] = ["pc"]
    project.config = config
    project.run()
    return project


def test_graphs_scores_tables_and_figures_are_there(with_graphs):
    folder = with_graphs.folder
    (true,) = folder.glob("results/*/seed-0/true_graph-pc.json")
    graphs = list(folder.glob("results/*/seed-0/*/graph-pc.json"))
    assert len(graphs) == 2
    for path in [true, *graphs]:
        graph = json.loads(path.read_text())
        assert graph["status"] == "ok"
        assert [len(row) for row in graph["adjacency"]] == [4] * 4
    for path in folder.glob("results/*/seed-0/*/graph_scores-pc.json"):
        scores = json.loads(path.read_text())
        assert {"shd", "skeleton_f1", "aid"} <= scores["learned"].keys() & scores["true_latents"].keys()
    table = (folder / "results/tables/tiny.md").read_text()
    assert "SHD to the true CPDAG, causal graph found by pc" in table
    assert "true latents" in table
    for ending in ("svg", "png"):
        (figure,) = folder.glob(f"results/figures/tiny/*-graphs-pc.{ending}")
        assert figure.stat().st_size > 5000
    assert with_graphs.planned() == {}


def test_another_level_finds_the_graphs_again_and_trains_nothing(with_graphs):
    before = with_graphs.config
    config = with_graphs.config
    config["graphs"]["pc"]["alpha"] = 0.01
    with_graphs.config = config
    planned = with_graphs.planned()
    with_graphs.config = before
    assert planned == GRAPHS_AND_WHAT_FOLLOWS
