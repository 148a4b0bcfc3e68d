"""The order of the categories in the workflow's report."""

import re
from pathlib import Path

RULES = Path(__file__).parents[3] / "workflow" / "rules"


def test_the_summary_comes_first():
    rules = "".join(file.read_text(encoding="utf-8") for file in RULES.glob("*.smk"))
    categories = set(re.findall(r'\bcategory="([^"]+)"', rules))
    assert len(categories) > 4
    # Snakemake's report sorts them by name.
    assert sorted(categories, key=str.lower)[0] == "Agreement with the paper"
