"""A table as a reader sees it, before it is written in a format: settings in rows, methods in columns."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pdgmm.report.comparison import NAMES
from pdgmm.report.measures import Measure
from pdgmm.report.published import BASE, PublishedValue
from pdgmm.report.summary import REFERENCE, Summary
from pdgmm.report.text import ABSENT, BASE_LABEL, difference, mean_and_std, setting_label
from pdgmm.report.verdict import Verdict
from pdgmm.settings import canonical_json

REDUCED = "†"
"""Stands beside a difference that says nothing of the method, which was run at less than the paper's size."""


@dataclass(frozen=True)
class Column:
    """A method at one size. ``against`` is the published column it is compared with, in words."""

    method: str
    size: str
    against: str


@dataclass(frozen=True)
class Cell:
    """A result in words."""

    measured: str
    """``0.966 ± 0.004``, ``failed (2 of 2)``, or a dash where there was no run or no such number."""
    all_failed: bool = False
    failed: str = ""
    """``1 of 3 failed``, where the others did not."""
    paper: str = ""
    difference: str = ""
    verdict: Verdict | None = None
    """None where there is nothing to compare, or the method was run at less than the paper's size."""
    reduced: bool = False
    best: bool = False
    """The best measured value of its row, as it is written."""
    detail: str = ""
    """Seeds and reasons, for whoever asks."""


@dataclass(frozen=True)
class Row:
    """A setting: what the paper reports for its own method, and a cell a column."""

    setting: str
    paper: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Grid:
    """A table of one measure of one experiment."""

    experiment: str
    title: str
    note: str
    measure: Measure
    caption: tuple[str, ...]
    """What the numbers are and which settings all rows share, a sentence each."""
    paper: str
    """Which published column stands in front, ``""`` if nothing is published."""
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    failures: tuple[str, ...]
    """A line for every method and setting with failed runs."""


def grids(summaries: Sequence[Summary]) -> list[Grid]:
    """The tables of all experiments; the summaries of one table follow each other."""
    return [
        _grid(list(group)) for _, group in groupby(summaries, key=lambda one: (one.experiment, one.measure))
    ]


def _grid(summaries: list[Summary]) -> Grid:
    first = summaries[0]
    settings = {canonical_json(dict(one.setting)): one.setting for one in summaries}
    shared = _shared(list(settings.values()))
    labels = _labels(settings, shared)
    columns = {(one.method, one.size): Column(one.method, one.size, "") for one in summaries}
    rows: dict[str, dict[tuple[str, str], Summary]] = {key: {} for key in settings}
    for one in summaries:
        rows[canonical_json(dict(one.setting))][one.method, one.size] = one
        if one.published is not None and not one.measure.published_with:
            columns[one.method, one.size] = Column(one.method, one.size, NAMES[one.published.column])
    in_front = {one.best_published.column for one in summaries if one.best_published}
    return Grid(
        experiment=first.experiment,
        title=first.title,
        note=first.note,
        measure=first.measure,
        caption=_caption(summaries, shared, list(labels.values())),
        paper=", ".join([*(NAMES[column] for column in sorted(in_front)), *_published_with(first, in_front)]),
        columns=tuple(columns.values()),
        rows=tuple(_row(labels[key], list(columns), found) for key, found in rows.items()),
        failures=tuple(
            f"{one.method}, {labels[canonical_json(dict(one.setting))]}: {_reasons(one)}"
            for one in summaries
            if one.failures
        ),
    )


def _published_with(one: Summary, columns: Collection[str]) -> list[str]:
    return [one.measure.published_with] if columns and one.measure.published_with else []


def _shared(settings: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What every row has in common; of a single row, what is not one of the paper's settings."""
    return {
        key: value
        for key, value in settings[0].items()
        if all(key in other and other[key] == value for other in settings)
        and (len(settings) > 1 or key not in BASE)
    }


def _labels(settings: Mapping[str, Mapping[str, Any]], shared: Mapping[str, Any]) -> dict[str, str]:
    """A name for every row: what is special about it, without what all rows share."""
    varied = {key for setting in settings.values() for key in setting if key not in shared}
    # In a sweep of one setting "n = 10" between "n = 5" and "n = 20" says more than "base".
    always = varied if len(varied) == 1 else ()
    return {
        name: setting_label({key: setting[key] for key in setting if key not in shared}, always)
        for name, setting in settings.items()
    }


def _caption(summaries: list[Summary], shared: Mapping[str, Any], labels: list[str]) -> tuple[str, ...]:
    counts = sorted({one.runs for one in summaries})
    seeds = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    if counts == [1]:
        sentences = ["One run each."]
    elif summaries[0].measure.split == "run":
        sentences = [f"Mean over {seeds} seeds."]
    else:
        sentences = [f"Mean ± sample standard deviation over {seeds} seeds."]
    methods = {(one.method, one.size) for one in summaries if one.role != REFERENCE}
    if summaries[0].measure.higher_is_better is not None and len(methods) > 1:
        sentences.append("The best of each row is bold.")
    if samples := sorted({one.train_samples for one in summaries if one.train_samples}):
        number = f"{samples[0]:,}" if len(samples) == 1 else f"{samples[0]:,} to {samples[-1]:,}"
        sentences.append(f"{number} training samples.")
    if any(one.difference is not None for one in summaries):
        sentences.append(
            "In parentheses: the published value of the paper's column named in the head, "
            "and measured minus published."
        )
    if any(one.difference is not None and one.reduced for one in summaries):
        sentences.append(
            f"{REDUCED}: run at less than the paper's size, so the difference says nothing of the method."
        )
    if BASE_LABEL in labels and any("n" in one.setting for one in summaries):
        base = setting_label(BASE, always=BASE)
        sentences.append(f"A row names what differs from the base setting {base}.")
    if (common := setting_label(shared)) != BASE_LABEL:
        sentences.append(f"All rows: {common}.")
    return tuple(sentences)


def _row(label: str, columns: list[tuple[str, str]], found: Mapping[tuple[str, str], Summary]) -> Row:
    best = _best(list(found.values()))
    cells = tuple(_cell(found[key], best) if key in found else Cell(ABSENT) for key in columns)
    published = next(iter(found.values())).best_published
    paper = ABSENT if published is None else _published(published.value, next(iter(found.values())).measure)
    return Row(label, paper, cells)


def _published(value: PublishedValue, measure: Measure) -> str:
    """In the digits of the paper or, where ours are no digits, as ours are written."""
    return measure.write(value.mean, value.std) if measure.published_with else mean_and_std(*value[:2], 2)


def _best(summaries: list[Summary]) -> float | None:
    """The best mean of a row's methods to three decimals, if there is a choice and a direction."""
    means = [round(one.mean, 3) for one in summaries if one.mean is not None and one.role != REFERENCE]
    higher_is_better = summaries[0].measure.higher_is_better
    if len(means) < 2 or higher_is_better is None:
        return None
    return max(means) if higher_is_better else min(means)


def _cell(one: Summary, best: float | None) -> Cell:
    reasons = _reasons(one) if one.failures else ""
    if one.mean is None:
        # A split that the dataset lacks leaves no value either, and is no failure.
        failed = bool(one.failures)
        text = f"{_word(one)} ({len(one.failures)} of {one.runs})" if failed else ABSENT
        return Cell(text, all_failed=failed, detail=reasons)
    seeds = f"{len(one.values)} seed{'s' if len(one.values) > 1 else ''}"
    return Cell(
        measured=one.measure.write(one.mean, one.std),
        failed=f"{len(one.failures)} of {one.runs} {_word(one)}" if one.failures else "",
        paper="" if one.difference is None else f"{one.published.value.mean:.2f}",
        difference="" if one.difference is None else difference(one.difference),
        verdict=one.verdict,
        reduced=one.difference is not None and bool(one.reduced),
        best=best is not None and one.role != REFERENCE and round(one.mean, 3) == best,
        detail="; ".join(part for part in (seeds, reasons) if part),
    )


def _word(one: Summary) -> str:
    """The status all failed runs share, or the word for any of them."""
    statuses = {failure.status for failure in one.failures}
    return statuses.pop() if len(statuses) == 1 else "failed"


def _reasons(one: Summary) -> str:
    """``2 of 3 diverged: loss is NaN``, every different reason once."""
    counts = Counter((failure.status, failure.reason) for failure in one.failures)
    return "; ".join(
        f"{count} of {one.runs} {status}: {reason or 'no reason recorded'}"
        for (status, reason), count in counts.items()
    )
