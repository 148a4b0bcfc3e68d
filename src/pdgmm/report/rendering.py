"""Tables of results in every format: from a frame to Markdown, LaTeX and HTML, through one model and templates."""

from pathlib import Path

import pandas as pd

from pdgmm.report.comparison import RULE, PublishedTable
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.table_files import known
from pdgmm.report.table_model import tables
from pdgmm.report.templates.template_files import template

FORMATS = ("md", "tex", "html")
"""By the file's suffix."""

COLUMNS_PER_BLOCK = 4
"""In LaTeX more methods than fit on a page's width go into a second block below the first."""

ARROWS = {"better": "▲ ", "worse": "▼ ", "agrees": "", None: ""}


def render_tables(
    frame: pd.DataFrame,
    form: str,
    title: str,
    note: str = "",
    table: str | None = None,
    papers: Path = PAPERS,
    cited: bool = True,
) -> str:
    """All tables of an experiment (see :func:`pdgmm.report.seed_summaries.results_frame`) in one of the ``FORMATS``.

    ``table`` is the published one that it repeats; whether it is ``cited`` at the end is for the caller to say.
    """
    published = PublishedTable(table, papers) if table else None
    shown = tables(frame, published)
    return template(f"tables.{form}").render(
        name=frame["experiment"].iloc[0],
        heading="Results",
        title=title,
        note=note,
        tables=shown,
        reduced={row["method"]: row["reduced"] for row in frame.to_dict("records") if known(row["reduced"])},
        citation=published.paper.citation if cited and any(table.paper for table in shown) else "",
        rule=RULE,
        arrows=ARROWS,
        columns_per_block=COLUMNS_PER_BLOCK,
    )


def markdown_table(frame: pd.DataFrame) -> str:
    """A frame of texts as Markdown; they are written as they are."""
    return template("frame.md").render(heads=list(frame.columns), rows=frame.to_numpy().tolist()).strip()
