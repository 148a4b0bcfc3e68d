import statistics

import pytest

from pdgmm.errors import UserError
from pdgmm.report.summary import summarise


def test_means_and_sample_deviations_over_seeds(record):
    values = [0.95, 0.97, 0.99]
    first, *_ = summarise([record(seed=seed, mcc=value) for seed, value in enumerate(values)])
    assert (first.measure.split, first.measure.metric) == ("test", "mcc")
    assert first.mean == pytest.approx(0.97)
    assert first.std == pytest.approx(statistics.stdev(values))
    assert first.difference == pytest.approx(0.0)
    assert first.published.value == (0.97, 0.01, 3)


def test_one_seed_has_no_deviation(record):
    first, *_ = summarise([record()])
    assert (first.mean, first.std) == (0.966, None)


def test_failed_runs_are_counted_and_not_averaged(record):
    failed = record(seed=1, status="diverged", reason="loss is NaN", seconds=3.0)
    for summary in summarise([record(seed=0), failed]):
        assert len(summary.values) == 1
        assert [(f.seed, f.status, f.reason) for f in summary.failures] == [(1, "diverged", "loss is NaN")]


def test_an_experiment_in_which_all_failed_still_has_a_summary(record):
    (only,) = summarise([record(status="failed", reason="no")])
    assert (only.mean, only.std, only.difference) == (None, None, None)
    assert only.published.value.mean == 0.97


def test_measures_nobody_has_are_left_out(record):
    metrics = {(one.measure.split, one.measure.metric) for one in summarise([record(seconds=None)])}
    assert metrics == {("test", "mcc"), ("test", "r2")}


def test_sizes_and_settings_are_never_averaged(record):
    runs = [record(size="small"), record(size="large"), record(setting={"n": 20})]
    assert [len(one.values) for one in summarise(runs)] == [1] * 9


def test_nested_and_equal_settings(record):
    runs = [
        record(seed=0, setting={"samples": {"train": 5}}),
        record(seed=1, setting={"samples": {"train": 5.0}}),
    ]
    first, *_ = summarise(runs)
    assert len(first.values) == 2
    assert first.setting["samples.train"] == 5


def test_a_run_counted_twice_is_an_error(record):
    with pytest.raises(UserError, match=r"flow\+spike_slab has two runs with seed 0"):
        summarise([record(), record()])


def test_the_catalogues_name_decides_the_comparison(record):
    first, *_ = summarise([record(method="small_autoencoder+none", kind="autoencoder+none")])
    assert first.published.column == "stage1"
    assert first.best_published.column == "stage2"


def test_nothing_to_tabulate_is_an_error():
    with pytest.raises(UserError, match="no runs"):
        summarise([])
