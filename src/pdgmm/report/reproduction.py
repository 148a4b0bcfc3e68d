"""The published tables beside the measured ones as a document, written from the tables of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from pdgmm.report.agreement import agreement, is_told_the_truth, without_repetitions
from pdgmm.report.agreement_text import agreement_markdown
from pdgmm.report.baselines import BASELINES, baseline_rows, baselines_markdown
from pdgmm.report.disagreements import disagreements
from pdgmm.report.grid import REDUCED
from pdgmm.report.measured import MARK, measured_markdown, unpublished
from pdgmm.report.measures import Measure, measure_named
from pdgmm.report.reproduction_figure import CAPTION, WORDS
from pdgmm.report.sizes import caption
from pdgmm.report.targets import AIMED_AT, targets_markdown
from pdgmm.report.text import ABSENT, difference, row_label

SHOWN_ROLES = ("paper", "ours")
"""Methods with a line of their own for every value, as the oracle has; the baselines share lines."""

COLUMNS = [
    *("experiment", "setting", "method", "role", "split", "metric"),
    *("published_table", "published_method", "published_mean", "published_std"),
    *("mean", "std", "n_ok", "n_failed", "difference", "verdict", "reduced"),
]
"""Of the CSV file."""

HEAD = ["setting", "method", "measure", "published", "measured", "seeds", "difference", "verdict"]


@dataclass(frozen=True)
class Reproduced:
    """An experiment with its table (see :func:`pdgmm.report.tables.results_frame`), None where it did not run.

    ``missing`` are the methods that did not run on all of its datasets, ``train_samples`` the sizes of those that
    have a row, ``generator`` draws its datasets, and ``repeats`` says whether rows were taken out because an earlier
    table has them.
    """

    name: str
    title: str
    note: str
    table: pd.DataFrame | None
    missing: Sequence[str] = field(default_factory=list)
    train_samples: Sequence[int] = field(default_factory=list)
    generator: str = AIMED_AT
    repeats: bool = False


def reproduction_frame(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Every measured mean that has a published one, once, in the order of the tables."""
    parts = [_compared(table) for table in without_repetitions(tables)]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    return found[COLUMNS].astype({"published_table": "Int64"})


def reproduction_markdown(
    experiments: Sequence[Reproduced], command: str, picture: str = "", last: str = ""
) -> str:
    """The counts of agreement, our aims, then every experiment; ``command`` is what wrote the document.

    ``picture`` is the file of the picture beside it, if there is one, and ``last`` a sentence on the whole study, for
    the end.
    """
    finished = [experiment.table for experiment in experiments if experiment.table is not None]
    parts = [
        "# The published tables, reproduced",
        f"Written by `{command}` from the tables of the study, never by hand.",
        agreement_markdown(agreement(finished)).strip() if finished else "No experiment has run yet.",
        *([CAPTION, f"![{WORDS}]({picture})"] if picture else []),
        targets_markdown(_aimed_at(experiments)).strip(),
    ]
    for experiment in _without_repetitions(experiments):
        parts += [f"## {experiment.title}", *([experiment.note] if experiment.note else [])]
        parts += ["Not run yet."] if experiment.table is None else _section(experiment)
    parts += ["## Time", last] if last else []
    return "\n\n".join(parts) + "\n"


def _aimed_at(experiments: Sequence[Reproduced]) -> list[pd.DataFrame]:
    return [one.table for one in experiments if one.table is not None and one.generator == AIMED_AT]


def _without_repetitions(experiments: Sequence[Reproduced]) -> list[Reproduced]:
    kept = iter(without_repetitions([one.table for one in experiments if one.table is not None]))
    return [one if one.table is None else _reduced_to(one, next(kept)) for one in experiments]


def _reduced_to(experiment: Reproduced, rows: pd.DataFrame) -> Reproduced:
    return replace(experiment, table=rows, repeats=len(rows) < len(experiment.table))


def _compared(table: pd.DataFrame) -> pd.DataFrame:
    """The rows with a published value, with their setting in words."""
    # A split without samples leaves a row in which nothing was measured and nothing failed.
    rows = table[table["published_mean"].notna() & ((table["n_ok"] + table["n_failed"]).astype(int) > 0)]
    return rows.assign(setting=[row_label(row) for row in rows.to_dict("records")])


def _section(experiment: Reproduced) -> list[str]:
    file = f"{experiment.name}.csv"
    link = f"[{file}](reproduction/{file})"
    parts = []
    if experiment.missing:
        names = ", ".join(f"`{method}`" for method in experiment.missing)
        parts.append(f"Not run yet, or not on all of the datasets: {names}.")
    if not len(experiment.table):
        return [*parts, f"An earlier table has all of this; the values are in {link}."]
    parts.append(caption(experiment.table, experiment.train_samples))
    if experiment.repeats:
        parts.append(f"What an earlier table has is left out; {link} has everything.")
    return parts + _tables(experiment.table)


def _tables(table: pd.DataFrame) -> list[str]:
    """The compared values, sentences on them, the baselines, and what has no published value."""
    parts = []
    rows = _compared(table)
    shown = rows[rows["role"].isin(SHOWN_ROLES) | is_told_the_truth(rows)].to_dict("records")
    if shown:
        lines = [HEAD, ["---"] * len(HEAD), *map(_cells, shown)]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    if sentences := disagreements(shown):
        parts.append("\n".join(f"- {sentence}" for sentence in sentences))
    if baselines := baselines_markdown(baseline_rows(rows[~is_told_the_truth(rows)])):
        parts += [BASELINES, baselines, *([MARK] if REDUCED in baselines else [])]
    if more := measured_markdown(unpublished(table)):
        parts += ["Measured, with nothing published to hold against it:", more]
    return parts


def _cells(row: Mapping[str, Any]) -> list[str]:
    measure = _measure(row)
    failed = pd.isna(row["mean"])
    total = int(row["n_ok"]) + int(row["n_failed"])
    return [
        row["setting"],
        f"`{row['method']}`",
        measure.title,
        _written(measure, row["published_mean"], row["published_std"]),
        f"failed ({int(row['n_failed'])} of {total})"
        if failed
        else measure.write(row["mean"], _known(row["std"])),
        f"{int(row['n_ok'])} of {total}" if row["n_failed"] else str(total),
        ABSENT if pd.isna(row["difference"]) else difference(row["difference"]),
        _verdict(row, measure),
    ]


def _verdict(row: Mapping[str, Any], measure: Measure) -> str:
    if pd.isna(row["mean"]):
        return "failed"
    if measure.published_with:
        return f"published {measure.published_with}"
    return "at reduced size" if _reduced(row) else str(row["verdict"])


def _written(measure: Measure, mean: float, std: float) -> str:
    if measure.published_with:
        return measure.write(mean, _known(std))
    digits = 3 if measure.published_digit < 0.01 else 2
    return f"{mean:.{digits}f}" if pd.isna(std) else f"{mean:.{digits}f} ± {std:.{digits}f}"


def _measure(row: Mapping[str, Any]) -> Measure:
    return measure_named(row["split"], row["metric"])


def _reduced(row: Mapping[str, Any]) -> str:
    return "" if pd.isna(row["reduced"]) else str(row["reduced"])


def _known(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
