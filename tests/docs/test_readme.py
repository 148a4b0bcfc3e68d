"""The table of README.md says what was measured."""

import importlib.util

import pytest
from markdown_files import ROOT


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("headline", ROOT / "benchmarks" / "headline.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table(script):
    return script.measured()


def test_the_headline_is_what_was_measured(script, table):
    text = script.README.read_text(encoding="utf-8")
    assert script.with_headline(text, script.headline(table)) == text, "run `make headline`"


def test_another_measurement_gives_another_headline(script, table):
    changed = table.assign(mean=table["mean"] - 0.1, verdict="worse")
    assert script.headline(changed) != script.headline(table)
    assert "better than published in 0, as good in 0 and worse in" in script.headline(changed)


def test_a_readme_without_room_for_the_table_is_an_error(script):
    with pytest.raises(ValueError, match="end of headline"):
        script.with_headline("# pdgmm\n", "table")
