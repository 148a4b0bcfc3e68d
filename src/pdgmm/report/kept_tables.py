"""What a study that is run in parts has measured: tables and training times are kept until they are measured again.

A study of hours may be run an experiment, or a few methods, at a time, on machines that do not keep ``results/``.
Every row of a table says on which dataset (the name holds a hash of all settings), by which method and at which size
it was measured, so rows of different runs can be in one table. A ``plan`` says what an experiment asks for: it is the
content of the file that :func:`pdgmm.steps.tabulate.tabulate` reads.

Snakemake writes the seconds of each training and graph to ``results/benchmarks``; each has one core. They are kept as
one line for a dataset and a fit, summed over its seeds, or the file would be long.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdgmm.catalogue import prefixes
from pdgmm.report.seed_summaries import known, unrepeated
from pdgmm.report.table_columns import GRAPH, REFERENCE, RUN

MEASURED_FOR = "measured_for"
FIT = ["dataset", "fit", "size"]
HOURS_COLUMNS = [*FIT, "seeds", "seconds"]

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


def gather_hours(plans: Iterable[Plan], results: Path, kept: Path) -> pd.DataFrame:
    """Seconds of every fit of the study and over how many seeds: ``HOURS_COLUMNS``.

    A fit is a chain, which a longer one may begin with, or the graph of one (``<chain>-<graph>``). What was timed is
    its last part, and ``size`` is that of it.
    From ``results/benchmarks`` and the file ``kept``; of a fit that both have, the one with more seeds counts, of
    equals the newer one. Fits that the study no longer asks for are left out.
    """
    old = pd.read_csv(kept) if kept.exists() else pd.DataFrame(columns=HOURS_COLUMNS)
    wanted = _timed(plans)
    new = _measured(results / "benchmarks", wanted)
    both = pd.concat([part for part in (new, old) if len(part)] or [old]).fillna({"size": ""})
    asked = [
        wanted.get((dataset, fit)) == size
        for dataset, fit, size in zip(*(both[name] for name in FIT), strict=True)
    ]
    rows = both[pd.Series(asked, index=both.index, dtype=bool)]
    rows = rows.sort_values("seeds", ascending=False, kind="stable").drop_duplicates(FIT)
    return rows.sort_values(FIT)[HOURS_COLUMNS].reset_index(drop=True)


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
    chosen = []
    for table in tables:
        asked = [_is_wanted(row, wanted, plan) for row in table.to_dict("records")]
        chosen.append(table[pd.Series(asked, index=table.index, dtype=bool)])
    filled = [part for part in unrepeated(chosen, ("split", "metric")) if len(part)]
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


def _sweeps(plan: Plan) -> tuple[frozenset[str], frozenset[str], int]:
    """What names the rows of an experiment: the settings that it sweeps, and the seed it begins with."""
    swept = frozenset(key for method in plan["methods"] for key in method["setting"])
    return frozenset(plan["varied"]), swept, min(plan["seeds"])


def _in_order(table: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """By measure, as they first came, then datasets and methods as the experiment has them; true latents first."""
    measure, _ = pd.factorize(table["split"] + " " + table["metric"])
    datasets = pd.Index([dataset["name"] for dataset in plan["datasets"]])
    methods = pd.Index(dict.fromkeys(method["shown"] for method in plan["methods"]))
    places = (methods.get_indexer(table["method"]), datasets.get_indexer(table["dataset"]), measure)
    return table.iloc[np.lexsort(places)].reset_index(drop=True)


def _measured(folder: Path, sizes: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    """What the study measured; a fit that is made again after a change of its size is timed again too."""
    rows = []
    for file in sorted(folder.glob("*/*/seed-*/*.tsv")):
        fit = (file.parent.parent.name, file.name.removesuffix(".tsv"))
        rows.append((*fit, sizes.get(fit, ""), _seconds(file)))
    found = pd.DataFrame(rows, columns=[*FIT, "seconds"]).dropna()
    summed = found.groupby(FIT, as_index=False).agg(seeds=("seconds", "size"), seconds=("seconds", "sum"))
    return summed.round({"seconds": 1})


def _seconds(file: Path) -> float | None:
    """The mean over repetitions; None of a file that a run in progress has not filled yet."""
    try:
        return float(pd.read_csv(file, sep="\t")["s"].mean())
    except (pd.errors.EmptyDataError, KeyError, TypeError):
        return None


def _timed(plans: Iterable[Plan]) -> dict[tuple[str, str], str]:
    """Datasets and what is fitted to them, with the size of the last part."""
    wanted = {}
    for plan in plans:
        fits = {}
        for method in plan["methods"]:
            fits |= dict(zip(prefixes(method["name"]), method["sizes"], strict=True))
            fits |= {f"{method['name']}-{graph}": "" for graph in plan["graphs"]}
        wanted |= {(dataset["name"], fit): size for dataset in plan["datasets"] for fit, size in fits.items()}
    return wanted
