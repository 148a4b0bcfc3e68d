"""What the trainings of a study took, also where it was run in parts."""

import copy

import pandas as pd
import pytest

from pdgmm.reproduction import write_reproduction
from pdgmm.study.planning import plan_study
from pdgmm.training_hours import gather_hours, hours_sentence

CONFIG = {
    "datasets": {"pdgmm": {}},
    "seeds": [0, 1],
    "experiments": {"main": {"title": "Main", "dataset": "pdgmm", "methods": ["identity+fastica"]}},
}
STUDY = plan_study(copy.deepcopy(CONFIG))
DATASET = STUDY.experiments["main"].datasets[0].name


@pytest.fixture
def benchmark(tmp_path):
    def write(rule, seed, name, seconds, dataset=DATASET):
        file = tmp_path / "results" / "benchmarks" / rule / dataset / f"seed-{seed}" / f"{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("" if seconds is None else f"s\th:m:s\tcpu_time\n{seconds}\t0:00:01\t1.0\n")

    return write


def gathered(tmp_path):
    rows = gather_hours(STUDY, tmp_path / "results", tmp_path / "docs" / "reproduction" / "hours.csv")
    return [tuple(row) for row in rows.itertuples(index=False)]


def test_seeds_are_summed_and_what_is_not_asked_for_is_left_out(tmp_path, benchmark):
    benchmark("train_stage1", 0, "identity", 1.5)
    benchmark("train_stage2", 0, "identity+fastica", 1000)
    benchmark("train_stage2", 1, "identity+fastica", 800)
    benchmark("train_stage2", 1, "identity+none", 5000)
    benchmark("train_stage2", 0, "identity+fastica", 5000, dataset="pdgmm-00000000")
    assert gathered(tmp_path) == [(DATASET, "identity", 1, 1.5), (DATASET, "identity+fastica", 2, 1800.0)]


def test_graphs_and_networks_for_images_count(tmp_path, benchmark):
    config = copy.deepcopy(CONFIG)
    config["experiments"]["main"]["graphs"] = ["pc"]
    config["datasets"]["balls"] = {}
    config["experiments"]["images"] = {"title": "Images", "dataset": "balls", "methods": ["identity+none"]}
    study = plan_study(config)
    (images,) = study.experiments["images"].datasets
    benchmark("discover_graph", 0, "identity+fastica-pc", 3.0)
    benchmark("discover_graph", 0, "identity+fastica-boss", 5.0)
    benchmark("train_cnn", 1, "keypoints", 60.0, dataset=images.images)
    rows = gather_hours(study, tmp_path / "results", tmp_path / "none.csv")
    assert set(rows["fit"]) == {"identity+fastica-pc", "keypoints"}


def test_a_file_of_a_run_in_progress_is_not_counted(tmp_path, benchmark):
    benchmark("train_stage2", 0, "identity+fastica", 10)
    benchmark("train_stage2", 1, "identity+fastica", None)
    assert gathered(tmp_path) == [(DATASET, "identity+fastica", 1, 10.0)]


def test_more_seeds_replace_fewer_and_newer_ones_as_many(tmp_path, benchmark):
    kept = tmp_path / "docs" / "reproduction" / "hours.csv"
    kept.parent.mkdir(parents=True)
    old = [(DATASET, "identity", 1, 7.0), (DATASET, "identity+fastica", 2, 30.0)]
    pd.DataFrame(old, columns=["dataset", "fit", "seeds", "seconds"]).to_csv(kept, index=False)
    assert gathered(tmp_path) == old
    benchmark("train_stage1", 0, "identity", 9.0)
    benchmark("train_stage2", 0, "identity+fastica", 10.0)
    assert gathered(tmp_path) == [(DATASET, "identity", 1, 9.0), old[1]]


def test_the_document_ends_with_the_time(tmp_path, benchmark):
    benchmark("train_stage2", 0, "identity+fastica", 5400)
    markdown, *others = write_reproduction(STUDY, tmp_path / "results", tmp_path / "docs", "the command")
    assert (
        "## Time\n\nTrainings and graphs of which the time is known: 1, 1.5 core-hours in all."
        in markdown.read_text()
    )
    assert tmp_path / "docs" / "reproduction" / "hours.csv" in others


def test_nothing_known_is_nothing_said(tmp_path):
    markdown, *others = write_reproduction(STUDY, tmp_path / "results", tmp_path / "docs", "the command")
    assert "## Time" not in markdown.read_text()
    assert [path.name for path in others] == ["reproduction.csv"]
    assert hours_sentence(gather_hours(STUDY, tmp_path, tmp_path / "none.csv")) == ""
