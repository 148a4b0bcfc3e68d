"""Tables of results: from records of runs to CSV, Markdown, LaTeX and HTML."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from pdgmm.report.comparison import RULE, PublishedTable
from pdgmm.report.paper_files import PAPERS
from pdgmm.report.records import Record
from pdgmm.report.seed_summaries import results_frame, summarise
from pdgmm.report.table_model import tables
from pdgmm.report.template_files import template

FORMATS = ("csv", "md", "tex", "html")
"""By the file's suffix."""

COLUMNS_PER_BLOCK = 4
"""In LaTeX more methods than fit on a page's width go into a second block below the first."""

_ARROWS = {"better": "▲ ", "worse": "▼ ", "agrees": "", None: ""}


def render_tables(records: Iterable[Record], papers: Path = PAPERS) -> dict[str, str]:
    """All tables of an experiment in each of the ``FORMATS``."""
    summaries = summarise(records, papers)
    run = summaries[0].run
    published = PublishedTable(run.published_table, papers) if run.published_table else None
    shown = tables(summaries, published.base if published else None)
    content = {
        "name": run.experiment,
        "heading": "Results",
        "title": run.title or run.experiment,
        "note": run.note,
        "tables": shown,
        "citation": published.paper.citation if any(table.paper for table in shown) else "",
        "rule": RULE,
        "arrows": _ARROWS,
        "columns_per_block": COLUMNS_PER_BLOCK,
    }
    texts = {form: template(f"tables.{form}").render(content) for form in FORMATS if form != "csv"}
    return {"csv": results_frame(summaries).to_csv(index=False, lineterminator="\n"), **texts}


def markdown_table(frame: pd.DataFrame) -> str:
    """A frame of texts as Markdown; they are written as they are."""
    return template("frame.md").render(heads=list(frame.columns), rows=frame.to_numpy().tolist()).strip()
