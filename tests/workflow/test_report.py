"""The HTML report: one file, with every table and figure and their captions."""

import json
import re

import pytest

pytestmark = pytest.mark.slow


def test_the_report_holds_tables_figures_and_captions(finished):
    finished.run("--report", "results/report.html")
    page = (finished.folder / "results/report.html").read_text()
    assert "recovering hidden variables" in page
    assert "results/tables/tiny.html" in page
    assert "results/tables/summary.html" in page
    assert "results/figures/tiny/" in page
    assert "Absolute correlation of true" in page
    assert page.count("https://cdn") == 0, "it must open without a network"
    categories = json.loads(re.search(r"var categories = (\{.*?\});", page, re.DOTALL)[1])
    # Snakemake's menu sorts them by name.
    assert len(categories) > 2
    assert sorted(categories, key=str.lower)[0] == "Agreement with the paper"
