"""A table as a reader sees it, before it is written in a format: settings in rows, methods in columns."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pdgmm.report.comparison import Published, PublishedTable, Verdict, standard_error
from pdgmm.report.seed_summaries import known, row_settings
from pdgmm.report.table_columns import REFERENCE, RUN, Measure, measure_named
from pdgmm.report.value_words import (
    ABSENT,
    BASE_LABEL,
    counted,
    difference,
    mean_and_std,
    setting_label,
    setting_labels,
    shared_settings,
    usual_values,
)

REDUCED = "†"
"""Marks the difference of a method that was run at a smaller size than in the paper."""


@dataclass(frozen=True)
class Head:
    """A column's head: a method, its size, the truth it is told, and the published method it is compared with."""

    method: str
    size: str
    told: str
    against: str


@dataclass(frozen=True)
class Cell:
    """A result as text."""

    measured: str
    """``0.966 ± 0.004``, ``failed (2 of 2)``, or a dash if there was no run or the run has no such number."""
    worst: str = ""
    """The value of the worst seed, if there are several seeds."""
    failed: str = ""
    """``1 of 3 failed``, if some runs failed and others did not."""
    paper: str = ""
    difference: str = ""
    """Measured minus published, with ``REDUCED`` behind it if the method was run at a smaller size."""
    verdict: Verdict | None = None
    """None if there is nothing to compare, or if the method was run at a smaller size than in the paper."""
    best: bool = False
    """Whether it is the best measured value of its row, after rounding."""
    detail: str = ""
    """The value of every seed, and the reasons of failures; shown when the mouse is over the cell."""

    @property
    def below(self) -> str:
        """What LaTeX prints in small letters below the measured value."""
        worst = f"worst {self.worst}" if self.worst else ""
        paper = f"({self.paper}, {self.difference})" if self.paper else ""
        return " ".join(filter(None, (worst, self.failed, paper)))


@dataclass(frozen=True)
class Row:
    """A setting: what the paper reports for its own method, the chance level, and one cell per method."""

    setting: str
    paper: str
    chance: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """One measure of an experiment; ``caption`` says in sentences what the numbers are and what all rows share."""

    measure: Measure
    caption: tuple[str, ...]
    paper: str
    """The published method whose values fill the column ``paper``; ``""`` if nothing is published."""
    chance: bool
    """Whether the measure has a chance level."""
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    failures: tuple[str, ...]
    """A line for every method and setting with failed runs."""


def labelled(frame: pd.DataFrame, base: Mapping[str, Any] | None) -> pd.DataFrame:
    """The rows of a results frame with their ``setting`` as text; ``base`` is the paper's base, if there is one."""
    settings = [row_settings(row) for row in frame.to_dict("records")]
    return frame.assign(setting=setting_labels(settings, usual_values(settings) if base is None else base))


def tables(frame: pd.DataFrame, published: PublishedTable | None) -> list[Table]:
    """The tables of an experiment from its frame (see :func:`pdgmm.report.seed_summaries.results_frame`)."""
    frame = labelled(frame, published.base if published else None)
    return [
        _table(rows.to_dict("records"), measure_named(*where), published)
        for where, rows in frame.groupby(["split", "metric"], sort=False)
    ]


def _table(rows: list[dict[str, Any]], measure: Measure, table: PublishedTable | None) -> Table:
    heads: dict[tuple[str, str], Head] = {}
    settings: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
    for row in rows:
        key = (row["method"], known(row["size"]) or "")
        settings.setdefault(row["setting"], {})[key] = row
        compared = (
            pd.notna(row["published_mean"]) and not table.reported(measure.split, measure.metric).only_beside
        )
        against = row["published_method"] if compared else heads[key].against if key in heads else ""
        heads[key] = Head(*key, known(row["told"]) or "", against)
    values = {
        setting: table.compare(row_settings(next(iter(found.values()))), "", measure.split, measure.metric)
        for setting, found in settings.items()
        if table
    }
    in_front = [value for value in values.values() if value]
    notes = [value.metric.only_beside for value in in_front if value.metric.only_beside]
    shown = []
    for setting, found in settings.items():
        best, value = _best(list(found.values()), measure), values.get(setting)
        chances = [row["chance"] for row in found.values() if pd.notna(row["chance"])]
        paper = ABSENT if value is None else _published(value, measure)
        cells = [_cell(found[key], measure, best, table) if key in found else Cell(ABSENT) for key in heads]
        shown.append(Row(setting, paper, _chance(chances, measure), tuple(cells)))
    return Table(
        measure=measure,
        caption=tuple(_caption(rows, measure, table)),
        paper=", ".join([*sorted({value.method for value in in_front}), *notes[:1]]),
        chance=any(row.chance != ABSENT for row in shown),
        heads=tuple(heads.values()),
        rows=tuple(shown),
        failures=tuple(
            f"{row['method']}, {row['setting']}: {row['failures']}" for row in rows if row["n_failed"]
        ),
    )


def _chance(chances: list[float], measure: Measure) -> str:
    """The chance level; of fits it depends on the codes of a method, so its range over methods is given."""
    if not chances:
        return ABSENT
    ends = [measure.write(end) for end in (min(chances), max(chances))]
    return " to ".join(dict.fromkeys(ends)) if measure.compares_fits else measure.write(chances[0])


def _published(value: Published, measure: Measure) -> str:
    """With the paper's number of digits or, if the value is not compared with ours, written like ours."""
    if value.metric.only_beside:
        return measure.write(value.mean, value.std)
    return mean_and_std(value.mean, value.std, value.metric.digits)


def _caption(rows: list[dict[str, Any]], measure: Measure, table: PublishedTable | None) -> list[str]:
    counts = sorted({int(row["n_ok"]) + int(row["n_failed"]) for row in rows} - {0})
    if not counts:  # one seed, and nothing to compare it with
        return ["No run has this score."]
    seeds = counted(counts[-1], "seed") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds"
    deviation = "" if measure.split == RUN else " ± sample standard deviation"
    sentences = ["One run each." if counts == [1] else f"Mean{deviation} over {seeds}."]
    if measure.compares_fits and counts[-1] > 2:
        sentences.append(
            "The score of a fit is its mean over all others. After the comma: a 95 % interval of the mean, by the "
            "jackknife over fits, as are all standard errors here."
        )
    if measure.higher_is_better is not None and len({row["method"] for row in rows if _competes(row)}) > 1:
        sentences.append("The best of each row is bold.")
    if any(pd.notna(row["chance"]) for row in rows):
        sentences.append(f"Chance: {measure.column.chance_words}.")
    if samples := sorted({int(row["train_samples"]) for row in rows if known(row["train_samples"])}):
        number = f"{samples[0]:,}" if len(samples) == 1 else f"{samples[0]:,} to {samples[-1]:,}"
        sentences.append(f"{number} training samples.")
    compared = [row for row in rows if pd.notna(row["difference"])]
    if compared:
        sentences.append(
            "In parentheses: the published value of the method named in the head of the column, and the difference "
            "(measured minus published) ± its standard error."
        )
    if any(known(row["reduced"]) for row in compared):
        sentences.append(
            f"{REDUCED}: run at a smaller size than in the paper, so the difference says nothing about the method."
        )
    settings = [row_settings(row) for row in rows]
    base = table.base if table else usual_values(settings)
    if BASE_LABEL in {row["setting"] for row in rows} and (
        usual := {k: base[k] for k in base if k in settings[0]}
    ):
        sentences.append(
            f"Each row is named by what differs from the base setting {setting_label(usual, {}, always=usual)}."
        )
    if (common := setting_label(shared_settings(settings, base), base)) != BASE_LABEL:
        sentences.append(f"All rows: {common}.")
    return sentences


def _competes(row: Mapping[str, Any]) -> bool:
    """Whether the row belongs to a method that is told nothing about the truth."""
    return row["role"] != REFERENCE and not known(row["told"])


def _best(rows: list[dict[str, Any]], measure: Measure) -> float | None:
    """The best mean of the methods that compete, to three decimals; None if there is nothing to choose from."""
    means = [round(row["mean"], 3) for row in rows if pd.notna(row["mean"]) and _competes(row)]
    if len(means) < 2 or measure.higher_is_better is None:
        return None
    return max(means) if measure.higher_is_better else min(means)


def _status(failures: str) -> str:
    """The word that all failed runs share (``diverged``), or ``failed``."""
    words = set(re.findall(r"(?:^|; )seed \d+ (\w+):", failures))
    return words.pop() if len(words) == 1 else "failed"


def _difference(row: Mapping[str, Any], gap: float, measure: Measure, table: PublishedTable) -> str:
    """Measured minus published, with its standard error."""
    runs = int(row["n_ok"])
    std = measure.independent_std(known(row["std"]), runs)
    error = standard_error(std, runs, known(row["published_std"]), table.paper.seeds)
    return difference(gap) + (f" ± {error:.3f}" if error is not None else "")


def _interval(row: Mapping[str, Any], measure: Measure) -> str:
    """``, 0.985 to 0.997`` for a mean over pairs of fits."""
    ends = measure.interval(row["mean"], known(row["std"]), int(row["n_ok"]))
    return f", {' to '.join(map(measure.write, ends))}" if ends else ""


def _cell(row: Mapping[str, Any], measure: Measure, best: float | None, table: PublishedTable | None) -> Cell:
    failed, reasons = int(row["n_failed"]), known(row["failures"]) or ""
    total = failed + int(row["n_ok"])
    if pd.isna(row["mean"]):
        # There is also no value if the dataset lacks the split; that is not a failure.
        return Cell(f"{_status(reasons)} ({failed} of {total})" if failed else ABSENT, detail=reasons)
    values = json.loads(known(row["values"]) or "{}")
    seeds = ", ".join(f"seed {seed}: {measure.write(value)}" for seed, value in values.items())
    gap = known(row["difference"])
    digits = table.reported(measure.split, measure.metric).digits if gap is not None else 0
    return Cell(
        measured=measure.write(row["mean"], known(row["std"])) + _interval(row, measure),
        worst=measure.write(row["worst"]) if pd.notna(row["worst"]) and row["n_ok"] > 1 else "",
        failed=f"{failed} of {total} {_status(reasons)}" if failed else "",
        paper=f"{row['published_mean']:.{digits}f}" if gap is not None else "",
        difference=""
        if gap is None
        else _difference(row, gap, measure, table) + (REDUCED if known(row["reduced"]) else ""),
        verdict=known(row["verdict"]),
        best=best is not None and _competes(row) and round(row["mean"], 3) == best,
        detail="; ".join(filter(None, (seeds, reasons))),
    )
