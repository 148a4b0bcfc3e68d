"""Runs averaged over their seeds, with what failed and what is published."""

import statistics
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pdgmm.errors import UserError
from pdgmm.report.comparison import Comparison, best_published, compare, role
from pdgmm.report.measures import MEASURES, Measure, measures_of
from pdgmm.report.records import OK, Record
from pdgmm.report.verdict import Verdict, tolerance, verdict
from pdgmm.settings import canonical_json

REFERENCE = "reference"


@dataclass(frozen=True)
class Failure:
    """A run that left no scores."""

    seed: int
    status: str
    reason: str


@dataclass(frozen=True)
class Summary:
    """One measure of one method in one setting, over its seeds."""

    experiment: str
    title: str
    note: str
    dataset: str
    setting: Mapping[str, Any]
    method: str
    size: str
    reduced: str
    """What of the size is smaller than in the paper, in words."""
    role: str
    """``paper``, ``ours``, ``baseline`` or ``reference``, the last for what is no method."""
    train_samples: int | None
    measure: Measure
    runs: int
    values: tuple[float, ...]
    """One a run that succeeded and has the measure."""
    failures: tuple[Failure, ...]
    published: Comparison | None
    """What the method is compared with."""
    best_published: Comparison | None
    """The paper's own method in this setting."""

    @property
    def mean(self) -> float | None:
        """Over the runs that succeeded; None where none did."""
        return statistics.fmean(self.values) if self.values else None

    @property
    def std(self) -> float | None:
        """Sample standard deviation (divisor: runs - 1); None for fewer than two runs."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        """Measured minus published mean; None where they must not be held against each other."""
        if self.mean is None or self.published is None or self.measure.published_with:
            return None
        return self.mean - self.published.value.mean

    @property
    def verdict(self) -> Verdict | None:
        """What the difference says of the method: nothing where it was run at less than the paper's size."""
        better = self.measure.higher_is_better
        if self.difference is None or self.reduced or better is None:
            return None
        largest = tolerance(self.std, len(self.values), self.published.value, self.measure.published_digit)
        return verdict(self.difference, largest, higher_is_better=better)


def summarise(records: Iterable[Record]) -> list[Summary]:
    """A summary for every experiment, measure, setting and method, in the order of the records.

    A measure that no run of an experiment has is left out; where there is none at all, because every run failed, the
    first one says so. Failed runs are in every summary they belong to.
    """
    experiments: dict[str, list[Record]] = {}
    for record in records:
        experiments.setdefault(record["experiment"], []).append(record)
    if not experiments:
        raise UserError("there are no runs to tabulate: run an experiment first")
    return [summary for runs in experiments.values() for summary in _summaries(runs)]


def _summaries(runs: list[Record]) -> Iterator[Summary]:
    groups = _groups(runs)
    measured = [one for one in measures_of(runs) if any(_value(one, run) is not None for run in runs)]
    for measure in measured or MEASURES[:1]:
        for group in groups:
            if not group[0].get("reference") or any(_value(measure, run) is not None for run in group):
                yield _summary(group, measure)


def _groups(runs: list[Record]) -> list[list[Record]]:
    """Runs that differ in their seed only."""
    groups: dict[tuple[str, str, str], dict[int, Record]] = {}
    for run in runs:
        key = (canonical_json(dict(run["setting"])), run["method"], run["size"])
        seeds = groups.setdefault(key, {})
        if run["seed"] in seeds:
            raise UserError(
                f"experiment {run['experiment']}: {run['method']} has two runs with seed {run['seed']} and "
                f"the setting {key[0]}: the records must name every setting in which runs differ"
            )
        seeds[run["seed"]] = run
    return [list(seeds.values()) for seeds in groups.values()]


def flat(setting: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings under dotted names: ``{"samples": {"train": 5}}`` as ``{"samples.train": 5}``."""
    values: dict[str, Any] = {}
    for key, value in setting.items():
        values |= flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value}
    return values


def _summary(group: list[Record], measure: Measure) -> Summary:
    first = group[0]
    values = [value for run in group if (value := _value(measure, run)) is not None]
    table = first.get("published_table")
    where = (measure.split, measure.metric, table)
    kind = first.get("kind") or first["method"]
    published = compare(first["setting"], kind, *where)
    return Summary(
        experiment=first["experiment"],
        title=first.get("title") or first["experiment"],
        note=first.get("note", ""),
        dataset=first.get("dataset", ""),
        setting=flat(first["setting"]),
        method=first["method"],
        size=first["size"],
        reduced=first.get("reduced", ""),
        role=REFERENCE if first.get("reference") else role(kind, published),
        train_samples=first.get("train_samples"),
        measure=measure,
        runs=len(group),
        values=tuple(values),
        failures=tuple(
            Failure(run["seed"], run["status"], run["reason"]) for run in group if run["status"] != OK
        ),
        published=published,
        best_published=best_published(first["setting"], *where),
    )


def _value(measure: Measure, run: Record) -> float | None:
    return measure.of(run) if run["status"] == OK else None
