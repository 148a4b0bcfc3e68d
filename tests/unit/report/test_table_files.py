"""Tables that are read back are those that were written, or are named."""

import pytest

from pdgmm.errors import UserError
from pdgmm.report.seed_summaries import COLUMNS, read_table, results_frame
from pdgmm.steps.draw_costs import draw_cost_table
from pdgmm.steps.summarise import summarise_tables


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
