"""The command behind ``make reproduction``: a document from the tables of a study, run at once or in parts."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from pdgmm.report.agreement_counts import agreement, render_agreement
from pdgmm.report.figure_files import save_figure
from pdgmm.report.kept_tables import Plan, gather_hours, gather_tables, missing_methods
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.reproduction_figure import CAPTION, WORDS, draw_reproduction, reproduction_frame
from pdgmm.report.seed_summaries import unrepeated
from pdgmm.report.templates.rendering import render_tables, template
from pdgmm.store.atomic import write_text
from pdgmm.store.splits import MAIN

KEPT = "reproduction"
"""The folder beside the document that keeps the tables."""

PICTURE = "reproduction.svg"
"""Beside the document: our values and the published ones at a glance."""

HOURS = "hours.csv"
"""Beside the tables: what the trainings took."""


def write_reproduction(
    plans: Sequence[Plan], results: Path, folder: Path, command: str, papers: Path = PAPERS
) -> list[Path]:
    """Write ``reproduction.md``, its picture, ``reproduction.csv`` and the tables behind them into ``folder``.

    ``plans`` are the plans of all tables of a study. The tables under ``folder/reproduction`` are kept where
    ``results`` has no newer ones; what was not run yet is named as such.
    """
    tables = gather_tables(plans, results, folder / KEPT)
    hours = gather_hours(plans, results, folder / KEPT / HOURS)
    measured = list(tables.values())
    compared = reproduction_frame(measured, papers)
    figure = draw_reproduction(compared)
    new = dict(zip(tables, unrepeated(measured), strict=True))
    text = template("reproduction.md").render(
        command=command,
        agreement=render_agreement(agreement(measured), "md", papers=papers).strip() if measured else "",
        picture=PICTURE if figure else "",
        caption=CAPTION,
        words=WORDS,
        sections=[_section(plan, tables.get(plan["name"]), new.get(plan["name"]), papers) for plan in plans],
        hours=hours,
    )
    frames = {folder / "reproduction.csv": compared}
    frames |= {folder / KEPT / f"{name}.csv": table for name, table in tables.items()}
    frames |= {folder / KEPT / HOURS: hours} if len(hours) else {}
    write_text(folder / "reproduction.md", text)
    for path, frame in frames.items():
        write_text(path, frame.to_csv(index=False, lineterminator="\n"))
    if figure:
        save_figure(figure, folder / PICTURE)
    return [folder / "reproduction.md", *frames, *([folder / PICTURE] if figure else [])]


def _section(plan: Plan, table: pd.DataFrame | None, new: pd.DataFrame | None, papers: Path) -> str:
    """The ``table`` of an experiment, of which an earlier one lacks the rows ``new``; None where it did not run."""
    title, notes = plan["title"] or plan["name"], [plan["note"]]
    link = f"[{plan['name']}.csv]({KEPT}/{plan['name']}.csv)"
    if table is not None and (missing := missing_methods(table, plan)):
        names = ", ".join(f"`{method}`" for method in missing)
        notes.append(f"Not run yet, or not on all of the datasets: {names}.")
    if table is None:
        notes.append("Not run yet.")
    elif not len(new):
        notes.append(f"An earlier table has all of this; the values are in {link}.")
    else:
        if len(new) < len(table):
            notes.append(f"What an earlier table has is left out; {link} has everything.")
        # The affine score of other splits says little beside that of the first.
        shown = new[new["metric"].ne("r2") | new["split"].eq(MAIN)]
        about = (title, " ".join(filter(None, notes)), plan["published_table"], papers)
        return render_tables(shown, "md", *about, cited=False).strip()
    return "\n\n".join([f"## {title}", *filter(None, notes)])
