"""The tables of a study that is run in parts: what was measured before is kept until it is measured anew.

A study of hours may be run an experiment, or a few methods, at a time, on machines that do not keep ``results/``.
Every row of a table says on which dataset (the name holds a hash of all settings), by which method and at which size
it was measured, so rows of different runs can stand in one table.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from pdgmm.report.measures import GRAPH_SPLIT
from pdgmm.report.text import row_label
from pdgmm.study.study import PlannedExperiment, Study

MEASURED_FOR = "measured_for"

_CELL = ("dataset", "method", "split", "metric")


def gather_tables(study: Study, results: Path, kept: Path) -> dict[str, pd.DataFrame]:
    """The table of every experiment of which something was measured, by its name.

    From ``results/tables/<experiment>.csv``, then ``<kept>/<experiment>.csv``, then the rows of experiments that
    sweep the same settings; an earlier one counts. Rows that the study no longer asks for are left out. A column
    ``measured_for`` names the experiment that a row is from.
    """
    own = {
        name: _joined(
            planned,
            study,
            [_own(_read(folder / f"{name}.csv"), name) for folder in (results / "tables", kept)],
        )
        for name, planned in study.experiments.items()
    }
    tables = {}
    for name, planned in study.experiments.items():
        others = [own[other] for other, its in study.experiments.items() if _sweeps(its) == _sweeps(planned)]
        table = _joined(planned, study, [own[name], *others])
        if len(table):
            tables[name] = _in_order(table.assign(experiment=name), planned)
    return tables


def missing_methods(table: pd.DataFrame, planned: PlannedExperiment) -> list[str]:
    """The methods of an experiment that lack a row of ``table`` on one of its datasets, as the config names them."""
    measured = set(zip(table["dataset"], table["method"], strict=True))
    return [
        method
        for method in dict.fromkeys(method.shown for method in planned.methods)
        if any((dataset.name, method) not in measured for dataset in planned.datasets)
    ]


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path) if path.exists() else pd.DataFrame()


def _own(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows that were measured for the experiment itself: what was filled in then may be newer elsewhere now."""
    if MEASURED_FOR in table:
        table = table[table[MEASURED_FOR] == name]
    return table.assign(**{MEASURED_FOR: name})


def _joined(planned: PlannedExperiment, study: Study, tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The rows that the experiment asks for, each cell once."""
    wanted = _wanted(planned, study)
    seen: set[tuple[str, ...]] = set()
    parts = []
    for table in tables:
        rows = table.to_dict("records")
        cells = [(*(str(row[column]) for column in _CELL), row_label(row)) for row in rows]
        chosen = [
            _is_wanted(row, wanted, planned) and cell not in seen
            for row, cell in zip(rows, cells, strict=True)
        ]
        parts.append(table[pd.Series(chosen, index=table.index, dtype=bool)])
        seen.update(cell for cell, choose in zip(cells, chosen, strict=True) if choose)
    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame()


def _wanted(planned: PlannedExperiment, study: Study) -> set[tuple[str, str, str]]:
    """Dataset, method and how far it is below the paper's size, of every run."""
    return {
        (
            dataset.name,
            method.shown,
            "; ".join(filter(None, [study.features_size(dataset, reduced=True), study.reduced(method.name)])),
        )
        for dataset in planned.datasets
        for method in planned.methods
    }


def _is_wanted(row: dict[str, object], wanted: set[tuple[str, str, str]], planned: PlannedExperiment) -> bool:
    split = str(row["split"])
    if split == "run" and not planned.settings.cost:
        return False
    if split.startswith(GRAPH_SPLIT) and split.removeprefix(GRAPH_SPLIT) not in planned.settings.graphs:
        return False
    if row["role"] == "reference":
        return any(row["dataset"] == dataset for dataset, _, _ in wanted)
    reduced = "" if pd.isna(row["reduced"]) else str(row["reduced"])
    return (row["dataset"], row["method"], reduced) in wanted


def _sweeps(planned: PlannedExperiment) -> tuple[frozenset[str], frozenset[str]]:
    """What names the rows of an experiment: the settings that it sweeps."""
    settings = planned.settings
    return frozenset([*settings.vary, *settings.grid]), frozenset(settings.vary_methods)


def _in_order(table: pd.DataFrame, planned: PlannedExperiment) -> pd.DataFrame:
    """By measure, as they first came, then datasets and methods as the experiment has them."""
    orders = {
        "dataset": [dataset.name for dataset in planned.datasets],
        "method": list(dict.fromkeys(method.shown for method in planned.methods)),
    }
    places = table.assign(
        measure=pd.factorize(table["split"] + " " + table["metric"])[0],
        **{
            f"place_{key}": table[key].map({name: i for i, name in enumerate(order)})
            for key, order in orders.items()
        },
    )
    by = ["measure", "place_dataset", "place_method"]
    return table.loc[places.sort_values(by, kind="stable", na_position="first").index].reset_index(drop=True)
