import json
import statistics
from dataclasses import replace

import pandas as pd
import pytest

from pdgmm.errors import UserError
from pdgmm.report.seed_summaries import results_frame, summarise
from pdgmm.report.table_columns import measure_named

VALUES = [0.95, 0.97, 0.99]


def test_means_deviations_and_the_value_of_every_seed(record):
    first, *_ = summarise([record(seed=seed, mcc=value) for seed, value in enumerate(VALUES)])
    assert (first.measure.split, first.measure.metric) == ("test", "mcc")
    assert first.mean == pytest.approx(0.97)
    assert first.std == pytest.approx(statistics.stdev(VALUES))
    assert (first.worst, first.chance, first.difference) == (0.95, 0.59, pytest.approx(0.0))
    row = results_frame([first]).iloc[0]
    assert json.loads(row["values"]) == {str(seed): value for seed, value in enumerate(VALUES)}
    assert (row["worst"], row["chance"], row["published_table"]) == (0.95, 0.59, "pdgmm/3")


def test_one_seed_has_no_deviation(record):
    first, *_ = summarise([record()])
    assert (first.mean, first.std) == (0.966, None)


@pytest.mark.parametrize(
    ("split", "metric", "worst"),
    [
        ("graph_pc", "shd", 7),
        ("test", "block_mcc", 3),
        ("run", "seconds", None),
        ("test", "extra_latents", None),
    ],
)
def test_the_worst_seed_depends_on_the_direction(record, split, metric, worst):
    runs = [record(seed=seed, metrics={split: {metric: value}}) for seed, value in enumerate((3, 7, 5))]
    assert [one.worst for one in summarise(runs)] == [worst]


def test_failed_runs_are_counted_and_not_averaged(record):
    failed = record(seed=1, status="diverged", reason="loss is NaN")
    for summary in summarise([record(seed=0), failed]):
        assert list(summary.values) == [0]
        assert [(f.seed, f.status, f.reason) for f in summary.failures] == [(1, "diverged", "loss is NaN")]


def test_an_experiment_in_which_all_failed_still_has_a_summary(record):
    (only,) = summarise([record(status="failed", reason="no")])
    assert (only.mean, only.worst, only.difference, only.published.mean) == (None, None, None, 0.97)
    assert pd.isna(results_frame([only]).iloc[0]["mean"])


def test_splits_come_in_their_order_and_only_main_columns_of_the_later_ones(record):
    scores = {"block_mcc": 0.9, "mcc": 0.9, "r2": 0.9, "ball_10": 0.9, "ball_2": 0.9}
    places = ("spring", "spring_source", "autumn", "autumn_source")
    metrics = {"graph_pc": {"shd": 3}, **dict.fromkeys(places, scores), "run": {"seconds": 3.0}}
    found = [(one.measure.split, one.measure.metric) for one in summarise([record(metrics=metrics)])]
    assert found == [
        *(("spring", name) for name in ("mcc", "r2", "ball_2", "ball_10", "block_mcc")),
        *((place, name) for place in ("spring_source", "autumn") for name in ("mcc", "r2", "block_mcc")),
        ("graph_pc", "shd"),
        ("run", "seconds"),
    ]


@pytest.mark.parametrize(
    ("place", "metric", "words"),
    [
        ("test", "mcc", ["MCC", "held-out samples"]),
        ("test_source", "mcc", ["MCC", "held-out samples", "before their rotation"]),
        ("winter", "r2", ["R²", "'winter'"]),
        ("test", "ball_12", ["Ball 12"]),
        ("graph_boss", "aid", ["found by boss"]),
    ],
)
def test_measures_have_a_title_in_words(place, metric, words):
    assert all(word in measure_named(place, metric).title for word in words)


def test_an_unknown_measure_is_named():
    with pytest.raises(UserError, match="'luck'"):
        measure_named("test", "luck")


def test_sizes_and_settings_are_never_averaged(record):
    runs = [record(size="small"), record(size="large"), record(setting={"n": 20})]
    assert [len(one.values) for one in summarise(runs)] == [1] * 6


def test_nested_and_equal_settings(record):
    runs = [record(seed=seed, setting={"samples": {"train": count}}) for seed, count in enumerate((5, 5.0))]
    first, *_ = summarise(runs)
    assert len(first.values) == 2
    assert first.setting["samples.train"] == 5


def test_the_plan_says_whose_method_it_is_and_the_paper_which_is_its_own(record):
    roles = {
        method: summarise([record(method="named", kind=method, role=role)])[0].role
        for method, role in (
            ("autoencoder", "baseline"),
            ("flow+spike_slab", "ours"),
            ("fastica", "baseline"),
        )
    }
    assert list(roles.values()) == ["paper", "ours", "baseline"]
    reference = replace(record(), method="true latents", role="reference", metrics={"graph_pc": {"shd": 3}})
    assert summarise([reference])[0].role == "reference"


@pytest.mark.parametrize("count", [0, 2])
def test_no_runs_and_a_run_counted_twice_are_errors(record, count):
    with pytest.raises(UserError, match="no runs|two runs with seed 0"):
        summarise([record()] * count)
