"""The counts of the suite are what happened."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
import run as suite
from case import Case, Measured
from checks import CHECKS, counted
from kept_cases import read_kept
from report import document, table
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


def test_what_a_failed_test_lost_is_counted(failed_report):
    case = counted("x", ET.parse(failed_report), 1.0)
    assert (case.tried, case.failures, case.data_lost) == (2, 1, 1)


@pytest.fixture
def failed_report(tmp_path):
    """The report of a test that finds lost data and then fails."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "chaos" / "conftest.py").read_text())
    (tmp_path / "test_it.py").write_text(
        "def test_it(tally):\n    tally.add(True)\n    tally.add(False)\n    assert tally.lost == 0\n"
    )
    report = tmp_path / "report.xml"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--junitxml={report}",
            str(tmp_path),
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT / "tests" / "chaos")},
        capture_output=True,
        check=False,
    )
    return report


def test_a_case_without_files_claims_nothing_about_them():
    assert "| x | 5 | 0 | – |" in table([Case("x", 5, 0, None, 1.0)])


def test_the_page_has_a_row_a_case_and_their_sum():
    page = document(
        [
            Measured(Case("x", 1000, 1, 2, 3.0), "python run.py", "Linux", "2026-01-02"),
            Measured(Case("y", 5, 0, None, 4.0, "a | b"), "python run.py", "Linux", "2026-01-02"),
            Measured(Case("z", 1, 0, 0, 1.0), "python run.py --only z", "Linux", "2026-01-03"),
        ]
    )
    assert "| x | 1,000 | 1 | 2 | 3 |" in page
    assert "| **all** | 1,006 | 1 | 2 | 8 |" in page
    assert "a \\| b" in page
    assert "- 2026-01-02, `python run.py` on Linux: x; y." in page
    assert "- 2026-01-03, `python run.py --only z` on Linux: z." in page


def test_one_case_again_changes_its_row_alone(tmp_path):
    page = tmp_path / "reliability.md"
    first, second = "a full disk", "a clock that jumps"
    suite.keep(page, Case(second, 4, 0, 0, 1.0), "all")
    suite.keep(page, Case(first, 9, 1, 0, 1.0), "all")
    assert [one.case.name for one in read_kept(page.with_suffix(".json"))] == [first, second]
    suite.keep(page, Case(first, 10, 0, None, 2.0, "better"), "one")
    assert f"| {first} | 10 | 0 | – | 2 | better |" in page.read_text()
    assert f"| {second} | 4 | 0 | 0 | 1 |" in page.read_text()
    assert [one.command for one in read_kept(page.with_suffix(".json"))] == ["one", "all"]


def test_a_row_that_the_suite_has_no_more_is_dropped(tmp_path):
    page = tmp_path / "reliability.md"
    suite.keep(page, Case("of yesterday", 4, 0, 0, 1.0), "all")
    suite.keep(page, Case("a full disk", 4, 0, 0, 1.0), "all")
    assert "of yesterday" not in page.read_text()


def test_a_case_that_breaks_is_a_failed_one_and_the_next_is_tried(tmp_path, monkeypatch):
    def broken(name, examples):
        if name == "a full disk":
            raise RuntimeError("no such disk")
        return Case(name, examples, 0, None, 1.0)

    monkeypatch.setattr(suite, "run_check", broken)
    chosen = suite.options(["--only", "a full disk", "--only", "a clock that jumps", "--examples", "7"])
    first, second = suite.cases(chosen, tmp_path, lambda text: None)
    assert (first.name, first.tried, first.failures) == ("a full disk", 0, 1)
    assert "RuntimeError: no such disk" in first.note
    assert (second.tried, second.failures) == (7, 0)


def test_the_page_is_written_after_every_case(tmp_path, monkeypatch):
    page = tmp_path / "reliability.md"

    def seen(chosen, folder, say):
        yield Case("a full disk", 1, 0, 0, 1.0)
        assert "| a full disk | 1 |" in page.read_text()
        raise KeyboardInterrupt

    monkeypatch.setattr(suite, "cases", seen)
    monkeypatch.setattr("sys.argv", ["run.py", "--out", str(page)])
    with pytest.raises(KeyboardInterrupt):
        suite.main()
    assert "| a full disk | 1 |" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "out"),
    [
        ([], suite.PAGE),
        (["--only", "soak"], suite.PAGE),
        (["--quick"], None),
        (["--quick", "--out", "x.md"], "x.md"),
    ],
)
def test_a_quick_look_leaves_the_page_alone(arguments, out):
    chosen = suite.options(arguments)
    assert str(chosen.out) == str(out)


def test_every_test_of_a_check_exists():
    for tests in CHECKS.values():
        for test in tests:
            file, _, name = test.partition("::")
            assert f"def {name}(" in (ROOT / file).read_text() if name else (ROOT / file).exists()
