"""The counts of the suite are what happened."""

import xml.etree.ElementTree as ET

import pytest
import run as suite
from checks import CHECKS, counted
from counts import Case, read_kept
from workflow_project import ROOT

REPORT = """<testsuites><testsuite>
<testcase name="a"><properties>
<property name="tried" value="40"/><property name="data_lost" value="2"/>
</properties></testcase>
<testcase name="b"><failure message="x"/></testcase>
<testcase name="c"><skipped message="needs root"/></testcase>
</testsuite></testsuites>"""


def test_tests_count_what_they_tried_and_lost():
    case = counted("x", ET.ElementTree(ET.fromstring(REPORT)), 1.0)
    assert (case.tried, case.failures, case.data_lost) == (41, 1, 2)
    assert "failed: b" in case.note
    assert "left out: c (needs root)" in case.note


def test_one_case_again_changes_its_row_alone(tmp_path):
    page = tmp_path / "reliability.md"
    first, second = "a worker out of memory", "a clock that jumps"
    for case in (Case("of yesterday", 1, 0, 0, 1.0), Case(second, 4, 0, 0, 1.0), Case(first, 9, 1, 0, 1.0)):
        suite.keep(page, case, "all")
    suite.keep(page, Case(first, 10, 0, None, 2.0, "better"), "one")
    kept = read_kept(page.with_suffix(".json"))
    assert [(one.name, one.command) for one in kept] == [(first, "one"), (second, "all")]
    assert f"| {first} | 10 | 0 | – | 2 | better |" in page.read_text()
    assert "of yesterday" not in page.read_text()


def test_a_case_that_breaks_is_a_failed_one_and_the_next_is_tried(tmp_path, monkeypatch):
    def broken(name, examples):
        if name == "a worker out of memory":
            raise RuntimeError("no such disk")
        return Case(name, examples, 0, None, 1.0)

    monkeypatch.setattr(suite, "run_check", broken)
    chosen = suite.options(
        ["--only", "a worker out of memory", "--only", "a clock that jumps", "--examples", "7"]
    )
    first, second = suite.cases(chosen, tmp_path, lambda text: None)
    assert (first.name, first.tried, first.failures) == ("a worker out of memory", 0, 1)
    assert "RuntimeError: no such disk" in first.note
    assert (second.tried, second.failures) == (7, 0)


@pytest.mark.parametrize(("arguments", "out"), [([], suite.PAGE), (["--quick"], None)])
def test_a_quick_look_leaves_the_page_alone(arguments, out):
    assert suite.options(arguments).out == out


@pytest.mark.parametrize("name", CHECKS)
def test_every_test_of_a_check_exists(name):
    assert CHECKS[name]
    for test in CHECKS[name]:
        file, _, function = test.partition("::")
        assert f"def {function}" in (ROOT / file).read_text()
