"""The tables of a study that is run in parts: what was measured before is kept until it is measured again.

A study of hours may be run an experiment, or a few methods, at a time, on machines that do not keep ``results/``.
Every row of a table says on which dataset (the name holds a hash of all settings), by which method and at which size
it was measured, so rows of different runs can be in one table. A ``plan`` says what an experiment asks for: it is the
content of the file that :func:`pdgmm.steps.tabulate.tabulate` reads.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pdgmm.report.records import REFERENCE
from pdgmm.report.table_columns import GRAPH, RUN
from pdgmm.report.table_files import fit_key, known

MEASURED_FOR = "measured_for"

Plan = Mapping[str, Any]


def gather_tables(plans: Iterable[Plan], results: Path, kept: Path) -> dict[str, pd.DataFrame]:
    """The table of every experiment of which something was measured, by its name.

    From ``results/tables/<experiment>.csv``, then ``<kept>/<experiment>.csv``, then the rows of experiments that
    sweep the same settings; an earlier one counts. Rows that the study no longer asks for are left out. A column
    ``measured_for`` names the experiment that a row is from.
    """
    plans = list(plans)
    own = {
        plan["name"]: _joined(plan, [_own(folder, plan["name"]) for folder in (results / "tables", kept)])
        for plan in plans
    }
    tables = {}
    for plan in plans:
        others = [own[other["name"]] for other in plans if _sweeps(other) == _sweeps(plan)]
        table = _joined(plan, [own[plan["name"]], *others])
        if len(table):
            tables[plan["name"]] = _in_order(table.assign(experiment=plan["name"]), plan)
    return tables


def missing_methods(table: pd.DataFrame, plan: Plan) -> list[str]:
    """The methods of an experiment that lack a row of ``table`` on one of its datasets, as the config names them."""
    measured = set(zip(table["dataset"], table["method"], strict=True))
    return [
        method
        for method in dict.fromkeys(method["shown"] for method in plan["methods"])
        if any((dataset["name"], method) not in measured for dataset in plan["datasets"])
    ]


def _own(folder: Path, name: str) -> pd.DataFrame:
    """The rows that were measured for the experiment itself: what was filled in then may be newer elsewhere now."""
    path = folder / f"{name}.csv"
    table = pd.read_csv(path) if path.exists() else pd.DataFrame()
    if MEASURED_FOR in table:
        table = table[table[MEASURED_FOR] == name]
    return table.assign(**{MEASURED_FOR: name})


def _joined(plan: Plan, tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """The rows that the experiment asks for, each cell once."""
    wanted = {
        (dataset["name"], method["shown"], method["reduced"])
        for dataset in plan["datasets"]
        for method in plan["methods"]
    }
    seen: set[tuple[str, ...]] = set()
    parts = []
    for table in tables:
        rows = table.to_dict("records")
        cells = [(*fit_key(row), row["split"], row["metric"]) for row in rows]
        chosen = [
            _is_wanted(row, wanted, plan) and cell not in seen for row, cell in zip(rows, cells, strict=True)
        ]
        parts.append(table[pd.Series(chosen, index=table.index, dtype=bool)])
        seen.update(cell for cell, choose in zip(cells, chosen, strict=True) if choose)
    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame()


def _is_wanted(row: Mapping[str, Any], wanted: set[tuple[str, str, str]], plan: Plan) -> bool:
    split = row["split"]
    if split == RUN and not plan["cost"]:
        return False
    if split.startswith(GRAPH) and split.removeprefix(GRAPH) not in plan["graphs"]:
        return False
    if row["role"] == REFERENCE:
        return any(row["dataset"] == dataset for dataset, _, _ in wanted)
    return (row["dataset"], row["method"], known(row["reduced"]) or "") in wanted


def _sweeps(plan: Plan) -> tuple[frozenset[str], frozenset[str]]:
    """What names the rows of an experiment: the settings that it sweeps."""
    return frozenset(plan["varied"]), frozenset(
        key for method in plan["methods"] for key in method["setting"]
    )


def _in_order(table: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """By measure, as they first came, then datasets and methods as the experiment has them."""
    datasets = [dataset["name"] for dataset in plan["datasets"]]
    methods = list(dict.fromkeys(method["shown"] for method in plan["methods"]))
    places = pd.DataFrame(
        {
            "measure": pd.factorize(table["split"] + " " + table["metric"])[0],
            "dataset": table["dataset"].map({name: place for place, name in enumerate(datasets)}),
            "method": table["method"].map({name: place for place, name in enumerate(methods)}),
        }
    )
    order = places.sort_values(list(places), kind="stable", na_position="first").index
    return table.loc[order].reset_index(drop=True)
