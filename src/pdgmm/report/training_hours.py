"""What the trainings and graphs of a study took, kept for a study that is run in parts.

Snakemake writes the seconds of each to ``results/benchmarks``; each has one core. They are kept as one line for a
dataset and a fit, summed over its seeds, or the file would be long.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from pdgmm.catalogue import prefixes
from pdgmm.report.kept_tables import Plan

FIT = ["dataset", "fit"]
COLUMNS = [*FIT, "seeds", "seconds"]

_SEED = re.compile(r"seed-\d+")


def gather_hours(plans: Iterable[Plan], results: Path, kept: Path) -> pd.DataFrame:
    """Seconds of every fit of the study and over how many seeds: ``COLUMNS``.

    A fit is a chain, which a longer one may begin with, or the graph of one (``<chain>-<graph>``).
    From ``results/benchmarks`` and the file ``kept``; of a fit that both have, the one with more seeds counts, of
    equals the newer one. Fits that the study no longer asks for are left out.
    """
    old = pd.read_csv(kept) if kept.exists() else pd.DataFrame(columns=COLUMNS)
    both = pd.concat([part for part in (_measured(results / "benchmarks"), old) if len(part)] or [old])
    wanted = _timed(plans)
    asked = [pair in wanted for pair in zip(both["dataset"], both["fit"], strict=True)]
    rows = both[pd.Series(asked, index=both.index, dtype=bool)]
    rows = rows.sort_values("seeds", ascending=False, kind="stable").drop_duplicates(FIT)
    return rows.sort_values(FIT)[COLUMNS].reset_index(drop=True)


def hours_sentence(rows: pd.DataFrame) -> str:
    """How long trainings and graphs took in all; empty where nothing is known."""
    if not len(rows):
        return ""
    trainings, hours = int(rows["seeds"].sum()), rows["seconds"].sum() / 3600
    return (
        f"Trainings and graphs of which the time is known: {trainings:,}, {hours:.1f} core-hours in all. "
        "Each has one core, and waits for it where the machine is busy. Datasets, scores, tables and figures, "
        "a few seconds each, are not in this sum."
    )


def _measured(folder: Path) -> pd.DataFrame:
    rows = [
        (file.parent.parent.name, file.name.removesuffix(".tsv"), _seconds(file))
        for file in sorted(folder.glob("*/*/seed-*/*.tsv"))
        if _SEED.fullmatch(file.parent.name)
    ]
    found = pd.DataFrame(rows, columns=[*FIT, "seconds"]).dropna()
    summed = found.groupby(FIT, as_index=False).agg(seeds=("seconds", "size"), seconds=("seconds", "sum"))
    return summed.round({"seconds": 1})


def _seconds(file: Path) -> float | None:
    """The mean over repetitions; None of a file that a run in progress has not filled yet."""
    try:
        return float(pd.read_csv(file, sep="\t")["s"].mean())
    except (pd.errors.EmptyDataError, KeyError, TypeError):
        return None


def _timed(plans: Iterable[Plan]) -> set[tuple[str, str]]:
    """Datasets and what is fitted to them."""
    wanted = set()
    for plan in plans:
        names = [method["name"] for method in plan["methods"]]
        fits = [part for name in names for part in prefixes(name)]
        fits += [f"{name}-{graph}" for name in names for graph in plan["graphs"]]
        wanted |= {(dataset["name"], fit) for dataset in plan["datasets"] for fit in fits}
    return wanted
