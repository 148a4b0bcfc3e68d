"""The command behind ``make reproduction``: a document from the tables of a study, run at once or in parts."""

from collections.abc import Sequence
from pathlib import Path

from pdgmm.report.figure_files import save_figure
from pdgmm.report.kept_tables import Plan, gather_tables, missing_methods
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.reproduction_figure import draw_reproduction
from pdgmm.report.reproduction_page import Reproduced, reproduction_frame, reproduction_markdown
from pdgmm.report.training_hours import gather_hours, hours_sentence
from pdgmm.store.atomic import write_text

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
    experiments = [
        Reproduced(
            name := plan["name"],
            plan["title"] or name,
            plan["note"],
            tables.get(name),
            plan["published_table"],
            missing_methods(tables[name], plan) if name in tables else [],
        )
        for plan in plans
    ]
    hours = gather_hours(plans, results, folder / KEPT / HOURS)
    compared = reproduction_frame(list(tables.values()), papers)
    figure = draw_reproduction(compared)
    picture = PICTURE if figure else ""
    text = reproduction_markdown(experiments, command, picture, hours_sentence(hours), papers)
    frames = {folder / "reproduction.csv": compared}
    frames |= {folder / KEPT / f"{name}.csv": table for name, table in tables.items()}
    frames |= {folder / KEPT / HOURS: hours} if len(hours) else {}
    write_text(folder / "reproduction.md", text)
    for path, frame in frames.items():
        write_text(path, frame.to_csv(index=False, lineterminator="\n"))
    if figure:
        save_figure(figure, folder / PICTURE)
    return [folder / "reproduction.md", *frames, *([folder / PICTURE] if figure else [])]
