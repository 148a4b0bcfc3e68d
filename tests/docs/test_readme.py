"""The table of README.md says what was measured."""

import importlib.util

import pytest
from markdown_files import ROOT


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("readme_table", ROOT / "benchmarks" / "readme_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table(script):
    return script.measured()


def test_the_table_is_what_was_measured(script, table):
    text = script.README.read_text(encoding="utf-8")
    assert script.with_table(text, script.readme_table(table)) == text, "run `make readme-table`"


def test_another_measurement_gives_another_table(script, table):
    changed = table.assign(mean=table["mean"] - 0.1, verdict="worse")
    assert script.readme_table(changed) != script.readme_table(table)
    assert "better than published in 0, as good in 0 and worse in" in script.readme_table(changed)


def test_a_readme_without_room_for_the_table_is_an_error(script):
    with pytest.raises(ValueError, match="end of table"):
        script.with_table("# pdgmm\n", "table")
