"""The command behind ``make reproduction``: pages from the tables of a study that was run at once or in parts."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from pdgmm.report.agreement_counts import EXPLANATION, agreement, cited_papers
from pdgmm.report.figure_files import save_figure
from pdgmm.report.front_page import front_line
from pdgmm.report.kept_tables import Plan, gather_hours, gather_tables, missing_methods
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.reproduction_figure import WORDS, draw_reproduction, reproduction_frame
from pdgmm.report.templates.rendering import render_tables, template
from pdgmm.report.verdict_bars import BARS, draw_verdicts
from pdgmm.steps.draw_curves import draw_curves
from pdgmm.store.atomic import write_text
from pdgmm.store.splits import MAIN

PAGES = "reproduction"
"""The folder beside the front page, with the page, the picture and the kept table of every experiment."""

HOURS = "hours.csv"
"""The file of training times, beside the tables."""


def write_reproduction(
    plans: Sequence[Plan], results: Path, folder: Path, command: str, papers: Path = PAPERS
) -> list[Path]:
    """Write ``reproduction.md``, its picture, ``reproduction.csv`` and a page for each experiment into ``folder``.

    ``plans`` are the plans of all tables of a study. A table under ``folder/reproduction`` is kept if ``results`` has
    no newer one. The page lists what was not run yet. Returns the paths written, the front page first.
    """
    tables = gather_tables(plans, results, folder / PAGES)
    hours = gather_hours(plans, results, folder / PAGES / HOURS)
    compared = reproduction_frame(list(tables.values()), papers)
    written = [_write_front(plans, tables, compared, hours, folder, command, papers)]
    frames = {folder / "reproduction.csv": compared}
    frames |= {folder / PAGES / f"{name}.csv": table for name, table in tables.items()}
    frames |= {folder / PAGES / HOURS: hours} if len(hours) else {}
    for path, frame in frames.items():
        write_text(path, frame.to_csv(index=False, lineterminator="\n"))
    pages = [plan for plan in plans if plan["name"] in tables]
    written += [_write_page(plan, tables[plan["name"]], folder / PAGES, command, papers) for plan in pages]
    return [written[0], *frames, *written[1:]]


def _write_front(
    plans: Sequence[Plan],
    tables: dict[str, pd.DataFrame],
    compared: pd.DataFrame,
    hours: pd.DataFrame,
    folder: Path,
    command: str,
    papers: Path,
) -> Path:
    counts = agreement(list(tables.values())) if tables else pd.DataFrame()
    rows = {row["experiment"]: row for row in counts.to_dict("records")}
    titles = {plan["name"]: plan["title"] or plan["name"] for plan in plans}
    lines = [
        front_line(rows[name], compared[compared["experiment"] == name], titles[name]) for name in tables
    ]
    bars = draw_verdicts(counts) if tables else None
    if bars:
        save_figure(bars, folder / "reproduction.svg")
    text = template("reproduction.md").render(
        command=command,
        measured=bool(tables),
        picture="reproduction.svg" if bars else "",
        words=BARS,
        lines=[line for line in lines if rows[line.name]["published_tables"]],
        others=[line for line in lines if not rows[line.name]["published_tables"]],
        pages=PAGES,
        waiting=[titles[plan["name"]] for plan in plans if plan["name"] not in tables],
        explanation=EXPLANATION,
        citations=cited_papers(counts, papers) if tables else {},
        hours=hours,
    )
    path = folder / "reproduction.md"
    write_text(path, text)
    return path


def _write_page(plan: Plan, table: pd.DataFrame, folder: Path, command: str, papers: Path) -> Path:
    """Write the page of an experiment: its ``table``, its curves, and the values with a published counterpart."""
    name, title, notes = plan["name"], plan["title"] or plan["name"], [plan["note"]]
    if missing := missing_methods(table, plan):
        names = ", ".join(f"`{method}`" for method in missing)
        notes.append(f"Not run yet, or not yet on all datasets: {names}.")
    # The affine score (R2) of other splits adds little to that of the first one.
    shown = table[table["metric"].ne("r2") | table["split"].eq(MAIN)]
    about = (" ".join(filter(None, notes)), plan["published_table"], papers)
    figure = draw_reproduction(reproduction_frame([table], papers))
    if figure:
        save_figure(figure, folder / f"{name}.svg")
    curves = [score for score in plan["curves"] if score in set(table["metric"])]
    if curves:
        save_figure(draw_curves(title, table, plan["varied"][0], curves), folder / f"{name}-curves.svg")
    text = template("reproduced_table.md").render(
        command=command,
        name=name,
        title=title,
        curves=f"{name}-curves.svg" if curves else "",
        picture=f"{name}.svg" if figure else "",
        words=WORDS,
        tables=render_tables(shown, "md", "", *about).strip(),
    )
    path = folder / f"{name}.md"
    write_text(path, text)
    return path
