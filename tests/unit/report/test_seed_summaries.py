import json
import statistics

import pandas as pd
import pytest

from pdgmm.errors import UserError
from pdgmm.report.seed_summaries import COLUMNS, read_table, results_frame
from pdgmm.report.table_columns import measure_named
from pdgmm.steps.draw_costs import draw_cost_table
from pdgmm.steps.draw_curves import draw_curve_table
from pdgmm.steps.summarise import summarise_tables

VALUES = [0.95, 0.97, 0.99]


def rows(*runs):
    return results_frame(runs).to_dict("records")


def test_means_deviations_and_the_value_of_every_seed(record):
    first, *_ = rows(*(record(seed=seed, mcc=value) for seed, value in enumerate(VALUES)))
    assert (first["split"], first["metric"]) == ("test", "mcc")
    assert (first["mean"], first["std"]) == pytest.approx((0.97, statistics.stdev(VALUES)))
    assert (first["worst"], first["chance"], first["difference"]) == (0.95, 0.59, pytest.approx(0.0))
    assert json.loads(first["values"]) == {str(seed): value for seed, value in enumerate(VALUES)}
    assert (first["published_table"], first["verdict"]) == ("pdgmm/3", "agrees")
    alone, *_ = rows(record())
    assert (alone["mean"], alone["worst"]) == (0.966, 0.966)
    assert pd.isna(alone["std"])


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
    (row,) = rows(*(record(seed=i, metrics={split: {metric: value}}) for i, value in enumerate((3, 7, 5))))
    assert pd.isna(row["worst"]) if worst is None else row["worst"] == worst


def test_failed_runs_are_counted_and_not_averaged(record):
    for row in rows(record(seed=0), record(seed=1, status="diverged", reason="loss is NaN")):
        assert (row["n_ok"], row["n_failed"], row["failures"]) == (1, 1, "seed 1 diverged: loss is NaN")
    (all_failed,) = rows(record(status="failed", reason="no"))
    assert pd.isna(all_failed["mean"])
    assert (all_failed["published_mean"], all_failed["verdict"]) == (0.97, None)


def test_splits_come_in_their_order_and_only_main_columns_of_the_later_ones(record):
    scores = {"block_mcc": 0.9, "mcc": 0.9, "r2": 0.9, "ball_10": 0.9, "ball_2": 0.9}
    places = ("spring", "spring_source", "autumn", "autumn_source")
    metrics = {"graph_pc": {"shd": 3}, **dict.fromkeys(places, scores), "run": {"seconds": 3.0}}
    assert [(row["split"], row["metric"]) for row in rows(record(metrics=metrics))] == [
        *(("spring", name) for name in ("mcc", "r2", "ball_2", "ball_10", "block_mcc")),
        *((place, name) for place in ("spring_source", "autumn") for name in ("mcc", "r2", "block_mcc")),
        ("graph_pc", "shd"),
        ("run", "seconds"),
    ]


def test_an_unknown_measure_is_named():
    with pytest.raises(UserError, match="'luck'"):
        measure_named("test", "luck")


def test_sizes_and_settings_are_never_averaged(record):
    runs = [record(size="small"), record(size="large"), record(setting={"n": 20})]
    assert [row["n_ok"] for row in rows(*runs)] == [1] * 6


def test_nested_and_equal_settings(record):
    first, *_ = rows(*(record(seed=i, setting={"samples": {"train": n}}) for i, n in enumerate((5, 5.0))))
    assert (first["n_ok"], first["setting_samples.train"]) == (2, 5)


@pytest.mark.parametrize(
    ("kind", "role", "shown"),
    [
        ("autoencoder", "baseline", "paper"),
        ("flow+spike_slab", "ours", "ours"),
        ("fastica", "baseline", "baseline"),
        ("true latents", "reference", "reference"),
    ],
)
def test_the_plan_says_whose_method_it_is_and_the_paper_which_is_its_own(record, kind, role, shown):
    assert rows(record(method="named", kind=kind, role=role))[0]["role"] == shown


@pytest.mark.parametrize("count", [0, 2])
def test_no_runs_and_a_run_counted_twice_are_errors(record, count):
    with pytest.raises(UserError, match="no runs|two runs with seed 0"):
        rows(*[record()] * count)


@pytest.fixture
def file(record, tmp_path):
    path = tmp_path / "table1.csv"
    results_frame([record()]).to_csv(path, index=False)
    return path


def test_a_table_is_read_with_all_its_columns(file):
    table = read_table(file)
    assert {name for name in table if not name.startswith("setting_")} == set(COLUMNS)
    assert table.loc[table["metric"] == "mcc", "mean"].tolist() == [0.966]


def test_a_table_in_which_all_failed_is_read(record, tmp_path):
    path = tmp_path / "table1.csv"
    results_frame([record(status="failed", reason="no room")]).to_csv(path, index=False)
    assert read_table(path)["n_failed"].tolist() == [1]


def cut(text):
    return text.splitlines()[0].rpartition(",")[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda _: None, "No such file"),
        (lambda _: "", "No columns"),
        (lambda text: text.replace("difference", "unterschied"), "no column difference"),
        (lambda text: text.replace("0.966", "0,966"), "cannot read"),
        (lambda text: text.replace("0.966", "n. b."), "column mean are numbers"),
        (lambda text: text.splitlines()[0] + "\n", "no rows"),
        (cut, "no column"),
        (lambda _: "\udcff\udcfe", "decode"),
    ],
)
@pytest.mark.parametrize(
    "step",
    [
        lambda file: summarise_tables([file], file.with_name("summary")),
        lambda file: draw_cost_table(file, "Cost", file.with_name("cost")),
        lambda file: draw_curve_table(file, "MCC", "n", ["mcc"], file.with_name("curves")),
    ],
)
def test_what_is_not_a_table_is_named_and_nothing_is_written(file, change, reason, step):
    changed = change(file.read_text())
    if changed is None:
        file.unlink()
    else:
        file.write_text(changed, errors="surrogateescape")
    before = set(file.parent.iterdir())
    with pytest.raises(UserError, match=reason) as caught:
        step(file)
    assert str(file) in str(caught.value)
    assert set(file.parent.iterdir()) == before
