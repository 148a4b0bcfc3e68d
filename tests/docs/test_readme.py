"""The tables of README.md and docs/estimators-measured.md say what was measured."""

import sys

import pytest
from markdown_files import ROOT


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import readme_table

    return readme_table


@pytest.fixture(scope="module")
def table(script):
    return script.measured()


def test_the_table_is_what_was_measured(script, table):
    text = script.README.read_text(encoding="utf-8")
    assert script.with_table(text, script.readme_table(table)) == text, "run `make readme-table`"


def test_the_table_of_the_estimators_is_what_was_measured(script):
    text = script.PAGE.read_text(encoding="utf-8")
    block = script.estimators_table(script.measured_groups())
    assert script.with_table(text, block) == text, "run `make readme-table`"
    assert sum(line.startswith("| ") for line in block.splitlines()) == 1 + 17


def test_another_measurement_gives_another_table(script, table):
    changed = table.assign(mean=table["mean"] - 0.1, verdict="worse")
    assert script.readme_table(changed) != script.readme_table(table)
    assert "better than published in 0, as good in 0 and worse in" in script.readme_table(changed)


def test_a_readme_without_room_for_the_table_is_an_error(script):
    with pytest.raises(ValueError, match="end of table"):
        script.with_table("# pdgmm\n", "table")
