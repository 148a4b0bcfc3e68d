"""Tables of a study that was run in parts."""

import copy

import pandas as pd
import pytest

from pdgmm.kept_tables import gather_tables, missing_methods
from pdgmm.study.planning import plan_study

CONFIG = {
    "datasets": {"pdgmm": {}},
    "stage2": {"lagrangian": {"steps": 3000}},
    "seeds": [0],
    "experiments": {
        "main": {
            "title": "Main",
            "dataset": "pdgmm",
            "vary": {"n": [5, 10]},
            "methods": ["autoencoder+lagrangian", "identity+fastica"],
        },
        "fast": {
            "title": "Fast",
            "dataset": "pdgmm",
            "vary": {"n": [5, 10]},
            "methods": ["identity+fastica"],
            "cost": True,
        },
        "else": {"title": "Else", "dataset": "pdgmm", "vary": {"k": [1]}, "methods": ["identity+fastica"]},
    },
}
REDUCED = "stage 2: steps 3,000 of 80,000"


def planned(**changes):
    config = copy.deepcopy(CONFIG)
    config["stage2"]["lagrangian"] |= changes
    return plan_study(config)


def row(study, experiment, n, method, mean, **changes):
    dataset = next(d for d in study.experiments[experiment].datasets if d.settings.n == n)
    return {
        "experiment": experiment,
        "dataset": dataset.name,
        "setting_n": n,
        "method": method,
        "role": "baseline",
        "reduced": REDUCED if "lagrangian" in method else None,
        "split": "test",
        "metric": "mcc",
        "mean": mean,
        **changes,
    }


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(path, index=False)


@pytest.fixture
def study():
    return planned()


@pytest.fixture
def gather(tmp_path):
    return lambda study: gather_tables(study, tmp_path / "results", tmp_path / "kept")


def values(table):
    return list(zip(table["setting_n"], table["method"], table["mean"], strict=True))


def test_a_newer_value_replaces_the_kept_one_and_the_others_stay(study, tmp_path, gather):
    kept = [row(study, "main", n, "identity+fastica", 0.1 * n) for n in (5, 10)]
    write(tmp_path / "kept" / "main.csv", kept)
    write(tmp_path / "results" / "tables" / "main.csv", [row(study, "main", 10, "identity+fastica", 0.9)])
    assert values(gather(study)["main"]) == [(5, "identity+fastica", 0.5), (10, "identity+fastica", 0.9)]


def test_runs_of_another_experiment_with_the_same_sweep_are_filled_in(study, tmp_path, gather):
    write(tmp_path / "kept" / "main.csv", [row(study, "main", 5, "autoencoder+lagrangian", 0.6)])
    fast = [row(study, "fast", n, "identity+fastica", 0.9) for n in (5, 10)]
    cost = row(study, "fast", 5, "identity+fastica", 2.0, split="run", metric="seconds")
    write(tmp_path / "results" / "tables" / "fast.csv", [*fast, cost])
    tables = gather(study)
    assert values(tables["main"]) == [
        (5, "autoencoder+lagrangian", 0.6),
        (5, "identity+fastica", 0.9),
        (10, "identity+fastica", 0.9),
    ]
    assert set(tables["main"]["experiment"]) == {"main"}
    assert len(tables["fast"]) == 3, "costs stand where they are asked for"
    assert "else" not in tables, "its rows are named by another setting"
    assert missing_methods(tables["main"], study.experiments["main"]) == ["autoencoder+lagrangian"]
    assert missing_methods(tables["fast"], study.experiments["fast"]) == []


def test_rows_that_were_filled_in_are_not_kept_as_the_experiments_own(study, tmp_path, gather):
    write(tmp_path / "results" / "tables" / "fast.csv", [row(study, "fast", 5, "identity+fastica", 0.9)])
    tables = gather(study)
    assert list(tables["main"]["measured_for"]) == ["fast"]
    for name, table in tables.items():
        write(tmp_path / "kept" / f"{name}.csv", table)
    write(tmp_path / "results" / "tables" / "fast.csv", [row(study, "fast", 5, "identity+fastica", 0.95)])
    assert values(gather(study)["main"]) == [(5, "identity+fastica", 0.95)]


def test_values_of_another_size_or_dataset_are_left_out(study, tmp_path, gather):
    old = [row(study, "main", 5, "autoencoder+lagrangian", 0.6)]
    gone = row(study, "main", 5, "identity+fastica", 0.9) | {"dataset": "pdgmm_n5-00000000"}
    write(tmp_path / "kept" / "main.csv", [*old, gone])
    assert values(gather(study)["main"]) == [(5, "autoencoder+lagrangian", 0.6)]
    assert "main" not in gather(planned(steps=4000))


def test_what_true_latents_give_stays_where_graphs_are_asked_for(study, tmp_path, gather):
    graph = row(study, "main", 5, "true latents", 3.0, role="reference", split="graph_pc", metric="shd")
    write(tmp_path / "kept" / "main.csv", [graph, row(study, "main", 5, "identity+fastica", 0.9)])
    assert values(gather(study)["main"]) == [(5, "identity+fastica", 0.9)]
    config = copy.deepcopy(CONFIG)
    config["experiments"]["main"]["graphs"] = ["pc"]
    assert "true latents" in set(gather(plan_study(config))["main"]["method"])
