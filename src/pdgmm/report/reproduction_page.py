"""The published tables beside the measured ones as a document, written from the tables of a study."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from pdgmm.report.agreement_counts import agreement, agreement_markdown, without_repetitions
from pdgmm.report.comparison import PublishedTable
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.rendering import render_tables
from pdgmm.report.reproduction_figure import CAPTION, WORDS
from pdgmm.report.table_model import labelled
from pdgmm.store.splits import MAIN

COLUMNS = [
    *("experiment", "setting", "method", "role", "told", "split", "metric"),
    *("published_table", "published_method", "published_mean", "published_std"),
    *("mean", "std", "worst", "values", "chance", "n_ok", "n_failed", "difference", "verdict", "reduced"),
]
"""Of the CSV file."""


@dataclass(frozen=True)
class Reproduced:
    """An experiment with its frame (:func:`pdgmm.report.seed_summaries.results_frame`), None where it did not run.

    ``published_table`` is the one that it repeats, and ``missing`` are the methods that did not run on all of its
    datasets.
    """

    name: str
    title: str
    note: str
    table: pd.DataFrame | None
    published_table: str | None = None
    missing: Sequence[str] = field(default_factory=list)


def reproduction_frame(tables: Sequence[pd.DataFrame], papers: Path = PAPERS) -> pd.DataFrame:
    """Every measured mean that has a published one, once, in the order of the tables."""
    named = []
    for table in tables:
        names = table["published_table"].dropna()
        named.append(labelled(table, PublishedTable(names.iloc[0], papers).base if len(names) else None))
    # A split without samples leaves a row in which nothing was measured and nothing failed.
    parts = [
        table[table["published_mean"].notna() & (table["n_ok"] + table["n_failed"] > 0)]
        for table in without_repetitions(named)
    ]
    return pd.concat(parts, ignore_index=True)[COLUMNS] if parts else pd.DataFrame(columns=COLUMNS)


def reproduction_markdown(
    experiments: Sequence[Reproduced], command: str, picture: str = "", last: str = "", papers: Path = PAPERS
) -> str:
    """The counts of agreement, then every experiment; ``command`` is what wrote the document.

    ``picture`` is the file of the picture beside it, if there is one, and ``last`` a sentence on the whole study, for
    the end.
    """
    finished = [experiment.table for experiment in experiments if experiment.table is not None]
    new = iter(without_repetitions(finished))
    parts = [
        "# The published tables, reproduced",
        f"Written by `{command}` from the tables of the study, never by hand.",
        agreement_markdown(agreement(finished), papers).strip() if finished else "No experiment has run yet.",
        *([CAPTION, f"![{WORDS}]({picture})"] if picture else []),
    ]
    for experiment in experiments:
        rows = None if experiment.table is None else next(new)
        parts.append(_section(experiment, rows, papers))
    parts += ["## Time", last] if last else []
    return "\n\n".join(parts) + "\n"


def _section(experiment: Reproduced, rows: pd.DataFrame | None, papers: Path) -> str:
    """The tables of an experiment without what an earlier one has."""
    file = f"{experiment.name}.csv"
    link = f"[{file}](reproduction/{file})"
    notes = [experiment.note]
    if experiment.missing:
        names = ", ".join(f"`{method}`" for method in experiment.missing)
        notes.append(f"Not run yet, or not on all of the datasets: {names}.")
    if rows is None:
        notes.append("Not run yet.")
    elif not len(rows):
        notes.append(f"An earlier table has all of this; the values are in {link}.")
    else:
        if len(rows) < len(experiment.table):
            notes.append(f"What an earlier table has is left out; {link} has everything.")
        # The affine score of other splits says little beside that of the first.
        shown = rows[rows["metric"].ne("r2") | rows["split"].eq(MAIN)]
        note = " ".join(filter(None, notes))
        about = (experiment.title, note, experiment.published_table, papers)
        return render_tables(shown, "md", *about, cited=False).strip()
    return "\n\n".join([f"## {experiment.title}", *filter(None, notes)])
