"""What the trainings of a study took, also where it was run in parts."""

import pandas as pd
import pytest

from pdgmm.report.kept_tables import gather_hours, hours_sentence
from table_plans import plan

PLANS = [plan("main", ["a"], ["fastica", "keypoints+autoencoder+lagrangian"], seeds=[0, 1], graphs=["pc"])]


@pytest.fixture
def benchmark(tmp_path):
    def write(seed, name, seconds, dataset="a"):
        file = tmp_path / "benchmarks" / "rule" / dataset / f"seed-{seed}" / f"{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("" if seconds is None else f"s\th:m:s\tcpu_time\n{seconds}\t0:00:01\t1.0\n")

    return write


def gathered(tmp_path):
    rows = gather_hours(PLANS, tmp_path, tmp_path / "hours.csv")
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
        ("a", "fastica", 2, 1800.0),
        ("a", "fastica-pc", 1, 3.0),
        ("a", "keypoints", 1, 1.5),
        ("a", "keypoints+autoencoder", 1, 2.5),
    ]
    assert "5, 0.5 core-hours" in hours_sentence(gather_hours(PLANS, tmp_path, tmp_path / "hours.csv"))


def test_a_file_of_a_run_in_progress_is_not_counted(tmp_path, benchmark):
    benchmark(0, "fastica", 10)
    benchmark(1, "fastica", None)
    assert gathered(tmp_path) == [("a", "fastica", 1, 10.0)]


def test_more_seeds_replace_fewer_and_newer_ones_as_many(tmp_path, benchmark):
    old = [("a", "fastica", 2, 30.0), ("a", "keypoints", 1, 7.0)]
    pd.DataFrame(old, columns=["dataset", "fit", "seeds", "seconds"]).to_csv(
        tmp_path / "hours.csv", index=False
    )
    assert gathered(tmp_path) == old
    benchmark(0, "keypoints", 9.0)
    benchmark(0, "fastica", 10.0)
    assert gathered(tmp_path) == [old[0], ("a", "keypoints", 1, 9.0)]
