"""The counts of the suite are what happened."""

import xml.etree.ElementTree as ET

from case import Case
from checks import CHECKS, counted
from report import document, table
from soak import MEGABYTE, MOST_GROWTH, growth
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


def test_a_case_without_files_claims_nothing_about_them():
    assert "| x | 5 | 0 | – |" in table([Case("x", 5, 0, None, 1.0)])


def test_the_page_has_a_row_a_case_and_their_sum():
    page = document([Case("x", 1000, 1, 2, 3.0), Case("y", 5, 0, None, 4.0, "a | b")], "python run.py")
    assert "| x | 1,000 | 1 | 2 | 3 |" in page
    assert "| **all** | 1,005 | 1 | 2 | 7 |" in page
    assert "a \\| b" in page
    assert "`python run.py`" in page


def test_every_test_of_a_check_exists():
    for tests in CHECKS.values():
        for test in tests:
            file, _, name = test.partition("::")
            assert f"def {name}(" in (ROOT / file).read_text() if name else (ROOT / file).exists()


def test_a_leak_is_seen_and_breathing_is_not():
    start = 400 * MEGABYTE
    assert growth([start + i * 5 * MEGABYTE for i in range(20)]) > MOST_GROWTH
    assert growth([start + (i % 3) * 10 * MEGABYTE for i in range(20)]) <= MOST_GROWTH
