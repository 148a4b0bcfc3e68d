"""The published tables beside the measured ones as a document, written from the tables of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from pdgmm.report.agreement import agreement, without_repetitions
from pdgmm.report.agreement_text import agreement_markdown
from pdgmm.report.comparison import NAMES
from pdgmm.report.measured import measured_markdown, unpublished
from pdgmm.report.measures import Measure, measure_named
from pdgmm.report.published import PublishedValue
from pdgmm.report.text import ABSENT, difference, row_label
from pdgmm.report.verdict import tolerance, verdict

SHOWN_ROLES = ("paper", "ours")
"""Methods in the document; the baselines are in the CSV file only, or it would be too long to read."""

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

    ``missing`` are the methods that did not run on all of its datasets.
    """

    name: str
    title: str
    note: str
    table: pd.DataFrame | None
    missing: Sequence[str] = field(default_factory=list)


def reproduction_frame(experiments: Sequence[Reproduced]) -> pd.DataFrame:
    """Every measured mean that has a published one, in the order of the experiments."""
    parts = [_compared(one.table) for one in _without_repetitions(experiments) if one.table is not None]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    return found[COLUMNS].astype({"published_table": "Int64"})


def reproduction_markdown(experiments: Sequence[Reproduced], command: str) -> str:
    """The counts of agreement, then every experiment; ``command`` is what wrote the document."""
    finished = [experiment.table for experiment in experiments if experiment.table is not None]
    parts = [
        "# The published tables, reproduced",
        f"Written by `{command}` from the tables of the study, never by hand.",
        agreement_markdown(agreement(finished)).strip() if finished else "No experiment has run yet.",
    ]
    for experiment in _without_repetitions(experiments):
        parts += [f"## {experiment.title}", *([experiment.note] if experiment.note else [])]
        parts += ["Not run yet."] if experiment.table is None else _section(experiment)
    return "\n\n".join(parts) + "\n"


def _without_repetitions(experiments: Sequence[Reproduced]) -> list[Reproduced]:
    kept = iter(without_repetitions([one.table for one in experiments if one.table is not None]))
    return [one if one.table is None else replace(one, table=next(kept)) for one in experiments]


def _compared(table: pd.DataFrame) -> pd.DataFrame:
    """The rows with a published value, with their setting in words."""
    rows = table[table["published_mean"].notna()]
    return rows.assign(setting=[row_label(row) for row in rows.to_dict("records")])


def _section(experiment: Reproduced) -> list[str]:
    rows = _compared(experiment.table)
    shown = rows[rows["role"].isin(SHOWN_ROLES)].to_dict("records")
    parts = []
    if experiment.missing:
        names = ", ".join(f"`{method}`" for method in experiment.missing)
        parts.append(f"Not run yet, or not on all of the datasets: {names}.")
    if shown:
        lines = [HEAD, ["---"] * len(HEAD), *map(_cells, shown)]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    if sentences := _disagreements(shown):
        parts.append("\n".join(f"- {sentence}" for sentence in sentences))
    if more := measured_markdown(unpublished(experiment.table)):
        parts += ["Measured, with nothing published to hold against it:", more]
    file = f"{experiment.name}.csv"
    return parts or [f"An earlier table has all of this; the values are in [{file}](reproduction/{file})."]


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


def _disagreements(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for every method and measure that differs from the paper by more than the noise, per direction."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        measure = _measure(row)
        if pd.isna(row["difference"]):
            continue
        direction = _direction(row, measure)
        if direction != "agrees":
            against = NAMES.get(row["published_method"], row["published_method"])
            # Of a method that was not given its size, the number alone speaks.
            plain = "higher" if row["difference"] > 0 else "lower"
            key = (
                row["method"],
                measure.title,
                plain if _reduced(row) else direction,
                against,
                _reduced(row),
            )
            found = measure.write(row["mean"], _known(row["std"]))
            groups.setdefault(key, []).append(f"{row['setting']} ({difference(row['difference'])}, {found})")
    return [_sentence(*key, settings) for key, settings in groups.items()]


def _sentence(
    method: str, measure: str, direction: str, against: str, reduced: str, settings: Sequence[str]
) -> str:
    why = f" Run at less than the paper's size ({reduced}), which may be the reason." if reduced else ""
    return (
        f"`{method}`, {measure}: {direction} than the paper's {against} by more than two standard errors in "
        f"{len(settings)} setting{'s' if len(settings) > 1 else ''}: {'; '.join(settings)}.{why}"
    )


def _direction(row: Mapping[str, Any], measure: Measure) -> str:
    published = PublishedValue(
        row["published_mean"], _known(row["published_std"]), int(row["published_table"])
    )
    largest = tolerance(_known(row["std"]), int(row["n_ok"]), published, measure.published_digit)
    return verdict(row["difference"], largest, higher_is_better=measure.higher_is_better)


def _written(measure: Measure, mean: float, std: float) -> str:
    if measure.published_with:
        return measure.write(mean, _known(std))
    return f"{mean:.2f}" if pd.isna(std) else f"{mean:.2f} ± {std:.2f}"


def _measure(row: Mapping[str, Any]) -> Measure:
    return measure_named(row["split"], row["metric"])


def _reduced(row: Mapping[str, Any]) -> str:
    return "" if pd.isna(row["reduced"]) else str(row["reduced"])


def _known(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
