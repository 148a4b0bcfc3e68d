"""The table at the end of a run."""

import pytest

from pdgmm.errors import UserError
from pdgmm.report.seed_summaries import results_frame
from pdgmm.report.table_columns import Record
from pdgmm.steps.headline import WIDTH, headline
from table_plans import BASE


def records(method, value, seconds, settings=({},)):
    return [
        Record(
            experiment="table1",
            dataset=f"d{number}",
            setting={**BASE, **setting},
            method=method,
            role="baseline",
            seed=seed,
            metrics={"test": {"mcc": value}, "run": {"seconds": seconds, "last_part_seconds": seconds}},
            published_table="pdgmm/3",
        )
        for number, setting in enumerate(settings)
        for seed in (0, 1)
    ]


@pytest.fixture
def table(tmp_path):
    def write(*runs):
        path = tmp_path / "table1.csv"
        results_frame([run for part in runs for run in part]).to_csv(path, index=False)
        return path

    return write


def test_methods_are_rows_below_the_published_values(table):
    settings = ({"n": 5}, {})
    path = table(records("fastica", 0.9, 2.0, settings), records("flow+spike_slab", 0.991, 61.0, settings))
    assert headline(path).splitlines() == [
        "MCC on held-out samples, mean over the seeds 0, 1:",
        "                            n = 5  n = 10  time a fit",
        "published, the paper's own   0.96    0.97",
        "fastica                     0.900   0.900       2.0 s",
        "flow+spike_slab             0.991   0.991        61 s",
    ]


def test_settings_that_do_not_fit_the_width_are_counted(table):
    settings = [{"n": n} for n in range(5, 25)]
    lines = headline(table(records("fastica", 0.9, 2.0, settings))).splitlines()
    assert max(map(len, lines)) <= WIDTH
    shown = lines[1].count(" = ")
    assert lines[-1] == f"{20 - shown} more settings are in the table's file."


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(UserError, match="table1.csv"):
        headline(tmp_path / "table1.csv")
