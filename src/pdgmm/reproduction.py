"""The command behind ``make reproduction``: a document from the tables of a study, run at once or in parts."""

from pathlib import Path

import pandas as pd

from pdgmm.kept_tables import gather_tables, missing_methods
from pdgmm.report.figure_files import save_figure
from pdgmm.report.reproduction import Reproduced, reproduction_frame, reproduction_markdown
from pdgmm.report.reproduction_figure import draw_reproduction
from pdgmm.store.atomic import write_text
from pdgmm.study.study import PlannedExperiment, Study
from pdgmm.training_hours import gather_hours, hours_sentence

KEPT = "reproduction"
"""The folder beside the document that keeps the tables."""

PICTURE = "reproduction.svg"
"""Beside the document: our values and the published ones at a glance."""

HOURS = "hours.csv"
"""Beside the tables: what the trainings took."""


def write_reproduction(study: Study, results: Path, folder: Path, command: str) -> list[Path]:
    """Write ``reproduction.md``, its picture, ``reproduction.csv`` and the tables behind them into ``folder``.

    The tables under ``folder/reproduction`` are kept where ``results`` has no newer ones; what was not run yet is
    named as such.
    """
    tables = gather_tables(study, results, folder / KEPT)
    experiments = [
        Reproduced(
            name,
            planned.settings.title,
            planned.settings.note,
            tables.get(name),
            missing_methods(tables[name], planned) if name in tables else [],
            _train_samples(tables[name], planned) if name in tables else [],
            planned.datasets[0].generator,
        )
        for name, planned in study.experiments.items()
    ]
    hours = gather_hours(study, results, folder / KEPT / HOURS)
    compared = reproduction_frame(list(tables.values()))
    figure = draw_reproduction(compared)
    picture = PICTURE if figure else ""
    texts = {
        folder / "reproduction.md": reproduction_markdown(
            experiments, command, picture, hours_sentence(hours)
        ),
        folder / "reproduction.csv": compared.to_csv(index=False, lineterminator="\n"),
    } | {
        folder / KEPT / f"{name}.csv": table.to_csv(index=False, lineterminator="\n")
        for name, table in tables.items()
    }
    if len(hours):
        texts[folder / KEPT / HOURS] = hours.to_csv(index=False, lineterminator="\n")
    for path, text in texts.items():
        write_text(path, text)
    if not figure:
        return list(texts)
    save_figure(figure, folder / PICTURE)
    return [*texts, folder / PICTURE]


def _train_samples(table: pd.DataFrame, planned: PlannedExperiment) -> list[int]:
    """Training samples of the datasets that ``table`` has rows of; nobody counts those of a user's own file."""
    measured = set(table["dataset"])
    return [
        dataset.settings.samples.train
        for dataset in planned.datasets
        if dataset.name in measured and not dataset.own_file
    ]
