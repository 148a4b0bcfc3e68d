"""Text from templates: the tables of an experiment as Markdown, LaTeX and HTML, and how each format is escaped."""

import re
from pathlib import Path

import jinja2
import pandas as pd
from markupsafe import Markup, escape

from pdgmm.report.comparison import RULE, PublishedTable
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.seed_summaries import known
from pdgmm.report.table_model import tables

FORMATS = ("md", "tex", "html")
"""The formats, named by the suffix of their files."""

COLUMNS_PER_BLOCK = 4
"""Methods side by side in a LaTeX table; further methods go into a second block below the first."""

ARROWS = {"better": "▲ ", "worse": "▼ ", "agrees": "", None: ""}

_LATEX = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "{}$&#%_"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    "°": r"$^\circ$",
    "²": r"$^2$",
    "†": r"$^\dagger$",
    "ρ": r"$\rho$",
    "δ": r"$\delta$",
    "θ": r"$\theta$",
}
_LATEX_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
}


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

    ``table`` is the published table that the experiment repeats; ``cited`` puts its citation at the end.
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


def template(name: str) -> jinja2.Template:
    """The template ``<name>.j2``; the suffix of ``name`` is its format."""
    form = name.rpartition(".")[2]
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pdgmm.report"),
        autoescape=form == "html",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        **(_LATEX_MARKS if form == "tex" else {}),
    )
    environment.filters |= {
        "md": markdown_text,
        "tex": latex_text,
        "prose": prose,
        "label": lambda text: re.sub(r"[^A-Za-z0-9]+", "-", text),
        "breakable": _breakable,
    }
    return environment.get_template(f"{name}.j2")


def markdown_text(text: str) -> str:
    """The text in one line; characters that Markdown would read as markup, HTML or the end of a cell are escaped."""
    return re.sub(r"([\\|*_`\[\]<>])", r"\\\1", " ".join(text.split()))


def latex_text(text: str) -> str:
    """The text in one line, escaped for LaTeX; characters that its usual fonts lack become question marks."""
    text = " ".join(text.split()).translate(str.maketrans(_LATEX))
    return re.sub("[^\0-\u017f]", "?", text)


def prose(text: str) -> Markup:
    """Sentences as HTML; text between backticks becomes code, as in Markdown."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _breakable(chain: str) -> Markup:
    """The name of a chain, which a browser may break only before a ``+``."""
    return escape(chain).replace("+", Markup("<wbr>+"))
