"""The command behind ``make reproduction``: a document from the tables of a study."""

from pathlib import Path

import pandas as pd

from pdgmm.report.reproduction import Reproduced, reproduction_frame, reproduction_markdown
from pdgmm.store.atomic import write_text
from pdgmm.study import Study


def write_reproduction(study: Study, results: Path, folder: Path, command: str) -> list[Path]:
    """Write ``reproduction.md`` and ``reproduction.csv`` into ``folder``; tables not made yet are named as such."""
    experiments = [
        Reproduced(
            name, planned.settings.title, planned.settings.note, _table(results / "tables" / f"{name}.csv")
        )
        for name, planned in study.experiments.items()
    ]
    texts = {
        folder / "reproduction.md": reproduction_markdown(experiments, command),
        folder / "reproduction.csv": reproduction_frame(experiments).to_csv(index=False, lineterminator="\n"),
    }
    for path, text in texts.items():
        write_text(path, text)
    return list(texts)


def _table(path: Path) -> pd.DataFrame | None:
    return pd.read_csv(path) if path.exists() else None
