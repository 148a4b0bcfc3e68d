"""Tables of graph scores: less is better, and the true latents are no method."""

import pytest

from pdgmm.report.comparison import TRUE_LATENTS
from pdgmm.report.grid import grids
from pdgmm.report.summary import summarise
from pdgmm.report.tables import results_frame


@pytest.fixture
def runs(record):
    def make(method, shd, seed, **changes):
        metrics = {"graph_pc": {"shd": shd, "skeleton_f1": 0.9, "aid": 0.1}, "test": {"mcc": 0.9, "r2": 0.9}}
        return record(
            method=method, seed=seed, metrics=metrics, size="", seconds=None, published_table="11", **changes
        )

    reference = [make(TRUE_LATENTS, shd, seed, reference=True) for seed, shd in enumerate((0, 2))]
    for one in reference:
        one["metrics"].pop("test")
    return reference + [
        make(method, shd + seed, seed)
        for method, shd in (("autoencoder+lagrangian", 30), ("flow+spike_slab", 1))
        for seed in (0, 1)
    ]


def table(runs, metric):
    return next(grid for grid in grids(summarise(runs)) if grid.measure.metric == metric)


def test_the_smallest_distance_of_a_method_is_the_best(runs):
    true, paper, ours = table(runs, "shd").rows[0].cells
    assert (true.measured, true.best) == ("1.0 ± 1.4", False)
    assert (paper.measured, paper.best, paper.verdict) == ("30.5 ± 0.7", False, "worse")
    assert (ours.measured, ours.best, ours.verdict) == ("1.5 ± 0.7", True, "better")


def test_each_graph_is_held_against_its_published_counterpart(runs):
    grid = table(runs, "shd")
    assert [column.against for column in grid.columns] == [
        "PC on the true latents",
        "PC on stage 2",
        "PC on stage 2",
    ]
    assert grid.rows[0].paper == "4.20 ± 1.10"
    assert [cell.paper for cell in grid.rows[0].cells] == ["1.80", "4.20", "4.20"]
    frame = results_frame(runs).query("metric == 'shd'")
    assert frame["role"].tolist() == ["reference", "paper", "ours"]
    assert set(frame["published_table"]) == {11}


def test_the_true_latents_are_in_no_other_table(runs):
    assert [column.method for column in table(runs, "mcc").columns] == [
        "autoencoder+lagrangian",
        "flow+spike_slab",
    ]


def test_only_the_papers_method_is_compared(runs):
    for run in runs:
        run["metrics"]["graph_boss"] = run["metrics"].pop("graph_pc")
    grid = table(runs, "shd")
    assert "boss" in grid.measure.title
    assert not grid.paper
    assert not any(cell.paper for cell in grid.rows[0].cells)


def test_a_failed_fit_is_named_in_the_table_of_graphs(runs, record):
    runs[-1] |= {"status": "diverged", "reason": "loss is NaN", "metrics": {}}
    assert table(runs, "shd").rows[0].cells[2].failed == "1 of 2 diverged"
