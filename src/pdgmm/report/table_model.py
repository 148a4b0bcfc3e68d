"""A table as a reader sees it, before it is written in a format: settings in rows, methods in columns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pdgmm.report.comparison import Published, Verdict
from pdgmm.report.records import REFERENCE
from pdgmm.report.seed_summaries import Summary
from pdgmm.report.table_columns import RUN, Measure
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
from pdgmm.settings import canonical_json

REDUCED = "†"
"""Marks a difference that says nothing of the method, which was run at less than the paper's size."""


@dataclass(frozen=True)
class Head:
    """A method at one size: the truth that it is told, and the published method that it is compared with, in words."""

    method: str
    size: str
    told: str
    against: str


@dataclass(frozen=True)
class Cell:
    """A result in words."""

    measured: str
    """``0.966 ± 0.004``, ``failed (2 of 2)``, or a dash where there was no run or no such number."""
    worst: str = ""
    """The value of the worst seed, where there are several."""
    all_failed: bool = False
    failed: str = ""
    """``1 of 3 failed``, where the others did not."""
    paper: str = ""
    difference: str = ""
    """Measured minus published, with a mark where it says nothing of the method."""
    verdict: Verdict | None = None
    """None where there is nothing to compare, or the method was run at less than the paper's size."""
    best: bool = False
    """The best measured value of its row, as it is written."""
    detail: str = ""
    """Seeds and reasons, for whoever asks."""

    @property
    def below(self) -> str:
        """What is small and below the measured value where room is scarce."""
        worst = f"worst {self.worst}" if self.worst else ""
        paper = f"({self.paper}, {self.difference})" if self.paper else ""
        return " ".join(filter(None, (worst, self.failed, paper)))


@dataclass(frozen=True)
class Row:
    """A setting: what the paper reports for its own method, the chance level, and a cell a method."""

    setting: str
    paper: str
    chance: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """One measure of an experiment."""

    measure: Measure
    caption: tuple[str, ...]
    """What the numbers are and which settings all rows share, a sentence each."""
    paper: str
    """Which published method is in front, ``""`` if nothing is published."""
    chance: bool
    """Whether the measure has a chance level."""
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    failures: tuple[str, ...]
    """A line for every method and setting with failed runs."""


def tables(summaries: Sequence[Summary], base: Mapping[str, Any] | None) -> list[Table]:
    """The tables of an experiment; summaries of one table follow each other. ``base`` is the paper's, if there is one."""
    return [_table(list(group), base) for _, group in groupby(summaries, key=lambda one: one.measure)]


def _table(summaries: list[Summary], base: Mapping[str, Any] | None) -> Table:
    settings = {canonical_json(dict(one.setting)): one.setting for one in summaries}
    base = usual_values(list(settings.values())) if base is None else base
    labels = dict(zip(settings, setting_labels(list(settings.values()), base), strict=True))
    rows: dict[str, dict[tuple[str, str], Summary]] = {key: {} for key in settings}
    heads: dict[tuple[str, str], Head] = {}
    for one in summaries:
        key = (one.run.method, one.run.size)
        rows[canonical_json(dict(one.setting))][key] = one
        compared = one.published is not None and not one.published.metric.only_beside
        known = heads[key].against if key in heads else ""
        heads[key] = Head(*key, ", ".join(one.run.told), one.published.method if compared else known)
    in_front = [one.best_published for one in summaries if one.best_published]
    return Table(
        measure=summaries[0].measure,
        caption=tuple(_caption(summaries, base, list(labels.values()))),
        paper=", ".join(
            dict.fromkeys(
                [*sorted(one.method for one in in_front), *(one.metric.only_beside for one in in_front[:1])]
            )
        ).removesuffix(", "),
        chance=any(one.chance is not None for one in summaries),
        heads=tuple(heads.values()),
        rows=tuple(_row(labels[key], list(heads), found) for key, found in rows.items()),
        failures=tuple(
            f"{one.run.method}, {labels[canonical_json(dict(one.setting))]}: {_reasons(one)}"
            for one in summaries
            if one.failures
        ),
    )


def _caption(summaries: list[Summary], base: Mapping[str, Any], labels: list[str]) -> list[str]:
    counts = sorted({one.runs for one in summaries})
    first = summaries[0].measure
    seeds = counted(counts[-1], "seed") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds"
    deviation = "" if first.split == RUN else " ± sample standard deviation"
    sentences = ["One run each." if counts == [1] else f"Mean{deviation} over {seeds}."]
    methods = {(one.run.method, one.run.size) for one in summaries if one.role != REFERENCE}
    if first.higher_is_better is not None and len(methods) > 1:
        sentences.append("The best of each row is bold.")
    if any(one.chance is not None for one in summaries):
        sentences.append("Chance: the true latents, decorrelated and rotated at random.")
    if samples := sorted({one.run.train_samples for one in summaries if one.run.train_samples}):
        number = f"{samples[0]:,}" if len(samples) == 1 else f"{samples[0]:,} to {samples[-1]:,}"
        sentences.append(f"{number} training samples.")
    if any(one.run.told for one in summaries):
        sentences.append("Methods that are told a part of the truth say so in their head.")
    if any(one.difference is not None for one in summaries):
        sentences.append(
            "In parentheses: the published value of the method named in the head, and measured minus published."
        )
    if any(one.difference is not None and one.run.reduced for one in summaries):
        sentences.append(
            f"{REDUCED}: run at less than the paper's size, so the difference says nothing of the method."
        )
    settings = [one.setting for one in summaries]
    if BASE_LABEL in labels and (known := {key: base[key] for key in base if key in settings[0]}):
        sentences.append(
            f"A row names what differs from the base setting {setting_label(known, {}, always=known)}."
        )
    if (common := setting_label(shared_settings(settings, base), base)) != BASE_LABEL:
        sentences.append(f"All rows: {common}.")
    return sentences


def _row(label: str, columns: list[tuple[str, str]], found: Mapping[tuple[str, str], Summary]) -> Row:
    best = _best(list(found.values()))
    cells = tuple(_cell(found[key], best) if key in found else Cell(ABSENT) for key in columns)
    one = next(iter(found.values()))
    chances = [each.chance for each in found.values() if each.chance is not None]
    return Row(
        label,
        published_text(one.best_published, one.measure) if one.best_published else ABSENT,
        one.measure.write(chances[0]) if chances else ABSENT,
        cells,
    )


def published_text(value: Published, measure: Measure) -> str:
    """In the digits of the paper or, where it is only shown beside ours, as ours are written."""
    if value.metric.only_beside:
        return measure.write(value.mean, value.std)
    return mean_and_std(value.mean, value.std, value.metric.digits)


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
        # A split that the dataset lacks leaves no value either, and is not a failure.
        failed = bool(one.failures)
        text = f"{_word(one)} ({len(one.failures)} of {one.runs})" if failed else ABSENT
        return Cell(text, all_failed=failed, detail=reasons)
    values = ", ".join(f"seed {seed}: {one.measure.write(value)}" for seed, value in one.values.items())
    mark = REDUCED if one.run.reduced else ""
    compared = one.difference is not None
    return Cell(
        measured=one.measure.write(one.mean, one.std),
        worst=one.measure.write(one.worst) if one.worst is not None and len(one.values) > 1 else "",
        failed=f"{len(one.failures)} of {one.runs} {_word(one)}" if one.failures else "",
        paper=f"{one.published.mean:.{one.published.metric.digits}f}" if compared else "",
        difference=difference(one.difference) + mark if compared else "",
        verdict=one.verdict,
        best=best is not None and one.role != REFERENCE and round(one.mean, 3) == best,
        detail="; ".join(filter(None, (values, reasons))),
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
