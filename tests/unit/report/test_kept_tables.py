"""Tables and training times of a study that was run in parts."""

import pandas as pd
import pytest

from pdgmm.report.kept_tables import gather_hours, gather_tables, missing_methods
from pdgmm.report.seed_summaries import unrepeated
from table_plans import method, plan

REDUCED = "lagrangian: steps 3,000 of 80,000"
PAPER = "autoencoder+lagrangian"
NUMBERS = ["five", "ten"]


def plans(reduced=REDUCED, **changes):
    methods = [method(PAPER, reduced=reduced), "fastica"]
    return [
        plan("main", NUMBERS, methods, varied=["n"], **changes),
        plan("fast", NUMBERS, ["fastica"], varied=["n"], cost=True),
        plan("else", ["ten"], ["fastica"], varied=["k"]),
    ]


def row(dataset, chain, mean, **changes):
    return {
        "experiment": "any",
        "dataset": dataset,
        "setting_n": dataset,
        "method": chain,
        "role": "baseline",
        "reduced": REDUCED if chain == PAPER else None,
        "split": "test",
        "metric": "mcc",
        "seeds": "0, 1",
        "mean": mean,
        **changes,
    }


@pytest.fixture
def write(tmp_path):
    def rows(place, *found):
        path = tmp_path / f"{place}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(list(found)).to_csv(path, index=False)

    return rows


@pytest.fixture
def gather(tmp_path):
    return lambda asked: gather_tables(asked, tmp_path / "results", tmp_path / "kept")


def values(table):
    return list(zip(table["dataset"], table["method"], table["mean"], strict=True))


def test_the_same_settings_on_other_seeds_are_other_values(write, gather):
    write("results/tables/main", *(row(dataset, "fastica", 0.9) for dataset in NUMBERS))
    again = plan("again", NUMBERS, ["fastica"], varied=["n"], seeds=[5, 6])
    assert "again" not in gather([*plans(), again])
    write("results/tables/again", row("ten", "fastica", 0.8, seeds="5, 6"))
    tables = gather([*plans(), again])
    assert values(tables["again"]) == [("ten", "fastica", 0.8)]
    assert [len(table) for table in unrepeated([tables["main"], tables["again"]], ["metric"])] == [2, 1]


def test_a_newer_value_replaces_the_kept_one_and_the_others_stay(write, gather):
    write("kept/main", *(row(dataset, "fastica", 0.5) for dataset in NUMBERS))
    write("results/tables/main", row("ten", "fastica", 0.9))
    assert values(gather(plans())["main"]) == [("five", "fastica", 0.5), ("ten", "fastica", 0.9)]


def test_runs_of_another_experiment_with_the_same_sweep_are_filled_in(write, gather):
    write("kept/main", row("five", PAPER, 0.6))
    cost = row("five", "fastica", 2.0, split="run", metric="seconds")
    write("results/tables/fast", *(row(dataset, "fastica", 0.9) for dataset in NUMBERS), cost)
    main, fast, _ = asked = plans()
    tables = gather(asked)
    assert values(tables["main"]) == [("five", PAPER, 0.6), ("five", "fastica", 0.9), ("ten", "fastica", 0.9)]
    assert set(tables["main"]["experiment"]) == {"main"}
    assert len(tables["fast"]) == 3, "costs are where they are asked for"
    assert "else" not in tables, "its rows are named by another setting"
    assert missing_methods(tables["main"], main) == [PAPER]
    assert missing_methods(tables["fast"], fast) == []


def test_rows_that_were_filled_in_are_not_kept_as_the_experiments_own(write, gather):
    write("results/tables/fast", row("five", "fastica", 0.9))
    tables = gather(plans())
    assert list(tables["main"]["measured_for"]) == ["fast"]
    for name, table in tables.items():
        write(f"kept/{name}", *table.to_dict("records"))
    write("results/tables/fast", row("five", "fastica", 0.95))
    assert values(gather(plans())["main"]) == [("five", "fastica", 0.95)]


def test_values_of_another_size_dataset_or_graph_are_left_out(write, gather):
    graph = row("five", "true latents", 3.0, role="reference", split="graph_pc", metric="shd")
    write("kept/main", row("five", PAPER, 0.6), row("gone", "fastica", 0.9), graph)
    assert values(gather(plans())["main"]) == [("five", PAPER, 0.6)]
    assert "main" not in gather(plans(reduced="lagrangian: steps 4,000 of 80,000"))
    assert "true latents" in set(gather(plans(graphs=["pc"]))["main"]["method"])


IMAGES = method("keypoints+autoencoder+lagrangian", sizes=["9 steps", "", ""])
TIMED = [plan("main", ["a"], ["fastica", IMAGES], seeds=[0, 1], graphs=["pc"])]


@pytest.fixture
def benchmark(tmp_path):
    def write(seed, name, seconds, dataset="a"):
        file = tmp_path / "benchmarks" / "rule" / dataset / f"seed-{seed}" / f"{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("" if seconds is None else f"s\th:m:s\tcpu_time\n{seconds}\t0:00:01\t1.0\n")

    return write


def gathered(tmp_path):
    rows = gather_hours(TIMED, tmp_path, tmp_path / "hours.csv")
    return [tuple(row) for row in rows.itertuples(index=False)]


def test_seeds_are_summed_and_what_is_not_asked_for_is_left_out(tmp_path, benchmark):
    benchmark(0, "keypoints", 1.5)
    benchmark(0, "keypoints+autoencoder", 2.5)
    benchmark(0, "fastica", 1000)
    benchmark(1, "fastica", 800)
    benchmark(0, "fastica-pc", 3.0)
    for name, dataset in (("flow", "a"), ("fastica-boss", "a"), ("fastica", "b")):
        benchmark(0, name, 5000, dataset)
    assert gathered(tmp_path) == [
        ("a", "fastica", "", 2, 1800.0),
        ("a", "fastica-pc", "", 1, 3.0),
        ("a", "keypoints", "9 steps", 1, 1.5),
        ("a", "keypoints+autoencoder", "", 1, 2.5),
    ]


def test_a_file_of_a_run_in_progress_is_not_counted(tmp_path, benchmark):
    benchmark(0, "fastica", 10)
    benchmark(1, "fastica", None)
    assert gathered(tmp_path) == [("a", "fastica", "", 1, 10.0)]


def test_more_seeds_replace_fewer_and_newer_ones_as_many(tmp_path, benchmark):
    old = [("a", "fastica", "", 2, 30.0), ("a", "keypoints", "9 steps", 1, 7.0)]
    pd.DataFrame(old, columns=["dataset", "fit", "size", "seeds", "seconds"]).to_csv(
        tmp_path / "hours.csv", index=False
    )
    assert gathered(tmp_path) == old
    benchmark(0, "keypoints", 9.0)
    benchmark(0, "fastica", 10.0)
    assert gathered(tmp_path) == [old[0], ("a", "keypoints", "9 steps", 1, 9.0)]
