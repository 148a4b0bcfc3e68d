"""Runs averaged over their seeds, with the worst seed, what failed and what is published."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from pdgmm.errors import UserError
from pdgmm.report.comparison import Published, PublishedTable, Verdict
from pdgmm.report.paper_files import PAPERS
from pdgmm.report.records import OK, REFERENCE, Record
from pdgmm.report.table_columns import Measure, measure_named, measures_of
from pdgmm.settings import canonical_json
from pdgmm.store.splits import MAIN


@dataclass(frozen=True)
class Summary:
    """One measure of one method in one setting, over its seeds."""

    run: Record
    """One of the runs: they differ in seed and scores only."""
    measure: Measure
    setting: Mapping[str, Any]
    runs: int
    values: Mapping[int, float]
    """By seed, of the runs that succeeded and have the measure."""
    chance: float | None
    """What a method that knows nothing would reach, the mean over seeds."""
    failures: tuple[Record, ...]
    published: Published | None
    """What the method is compared with."""
    best_published: Published | None
    """The paper's own method in this setting."""

    @property
    def role(self) -> str:
        """``paper`` for a method that the published column reports, ``ours``, ``baseline`` or ``reference``."""
        same = self.published is not None and self.published.same_method
        return "paper" if same and self.run.role != REFERENCE else self.run.role

    @cached_property
    def mean(self) -> float | None:
        """Over the runs that succeeded; None where none did."""
        return statistics.fmean(self.values.values()) if self.values else None

    @cached_property
    def std(self) -> float | None:
        """Sample standard deviation (divisor: runs - 1); None for fewer than two runs."""
        return statistics.stdev(self.values.values()) if len(self.values) > 1 else None

    @property
    def worst(self) -> float | None:
        """The value of the worst seed; None where no direction is better, or nothing was measured."""
        if not self.values or self.measure.higher_is_better is None:
            return None
        return (min if self.measure.higher_is_better else max)(self.values.values())

    @property
    def difference(self) -> float | None:
        """Measured minus published mean; None where they must not be held against each other."""
        if self.mean is None or self.published is None or self.published.metric.only_beside:
            return None
        return self.mean - self.published.mean

    @property
    def verdict(self) -> Verdict | None:
        """What the difference says of the method: nothing where it was run at less than the paper's size."""
        better = self.measure.higher_is_better
        if self.difference is None or self.run.reduced or better is None:
            return None
        return self.published.verdict(self.difference, self.std, len(self.values), higher_is_better=better)


def summarise(records: Iterable[Record], papers: Path = PAPERS) -> list[Summary]:
    """A summary for every measure, setting and method of an experiment, in the order of the records.

    A measure that no run has is left out; where there is none at all, because every run failed, one says so. Failed
    runs are in every summary they belong to.
    """
    runs = list(records)
    if not runs:
        raise UserError("there are no runs to tabulate: run an experiment first")
    table = PublishedTable(runs[0].published_table, papers) if runs[0].published_table else None
    measures = [one for one in measures_of(runs) if any(one.of(run) is not None for run in runs)]
    return [
        _summary(group, measure, table)
        for measure in measures or [measure_named(MAIN, "mcc")]
        for group in _groups(runs)
        if group[0].role != REFERENCE or any(measure.of(run) is not None for run in group)
    ]


def results_frame(summaries: Sequence[Summary]) -> pd.DataFrame:
    """A row a summary.

    Columns: ``experiment``, ``dataset``, ``train_samples``, a ``setting_<key>`` for every setting, ``method``, ``role``
    (the paper's, ours, a baseline or a reference), ``told`` (the truth it is given), ``size``, ``reduced`` (what of it
    is smaller than in the paper), ``split``, ``metric``, ``mean`` and ``std`` (sample standard deviation) over ``n_ok``
    runs, ``values`` (JSON, by seed), ``worst`` (of them), ``chance``, ``n_failed``, ``failures`` (seed, status and
    reason of each), ``published_mean``, ``published_std``, ``published_method``, ``published_table``, ``same_method``
    (the published column reports this very method), ``difference`` and ``verdict``.
    """
    keys = dict.fromkeys(key for one in summaries for key in one.setting)
    # Of type object, or a setting that only some rows have would turn its integers into floats.
    frame = pd.DataFrame([_row(one, keys) for one in summaries], dtype=object)
    numbers = ["mean", "std", "worst", "chance", "published_mean", "published_std", "difference"]
    return frame.astype(dict.fromkeys(numbers, float))


def flat(setting: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings under dotted names: ``{"samples": {"train": 5}}`` as ``{"samples.train": 5}``."""
    values: dict[str, Any] = {}
    for key, value in setting.items():
        values |= flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value}
    return values


def _groups(runs: list[Record]) -> list[list[Record]]:
    """Runs that differ in their seed only."""
    groups: dict[tuple[str, str, str], dict[int, Record]] = {}
    for run in runs:
        key = (canonical_json(dict(run.setting)), run.method, run.size)
        seeds = groups.setdefault(key, {})
        if run.seed in seeds:
            raise UserError(
                f"experiment {run.experiment}: {run.method} has two runs with seed {run.seed} and "
                f"the setting {key[0]}: the records must name every setting in which runs differ"
            )
        seeds[run.seed] = run
    return [list(seeds.values()) for seeds in groups.values()]


def _summary(group: list[Record], measure: Measure, table: PublishedTable | None) -> Summary:
    first, where = group[0], (measure.split, measure.metric)
    chances = [value for run in group if (value := measure.chance_of(run)) is not None]
    return Summary(
        run=first,
        measure=measure,
        setting=flat(first.setting),
        runs=len(group),
        values={run.seed: value for run in group if (value := measure.of(run)) is not None},
        chance=statistics.fmean(chances) if chances else None,
        failures=tuple(run for run in group if run.status != OK),
        published=table.compare(first.setting, first.kind or first.method, *where, told=bool(first.told))
        if table
        else None,
        best_published=table.best(first.setting, *where) if table else None,
    )


def _row(one: Summary, keys: Iterable[str]) -> dict[str, object]:
    run, published = one.run, one.published
    return {
        "experiment": run.experiment,
        "dataset": run.dataset,
        "train_samples": run.train_samples,
        **{f"setting_{key}": one.setting.get(key) for key in keys},
        "method": run.method,
        "role": one.role,
        "told": ", ".join(run.told),
        "size": run.size,
        "reduced": run.reduced,
        "split": one.measure.split,
        "metric": one.measure.metric,
        "mean": one.mean,
        "std": one.std,
        "worst": one.worst,
        "values": json.dumps(one.values),
        "chance": one.chance,
        "n_ok": len(one.values),
        "n_failed": len(one.failures),
        "failures": "; ".join(f"seed {f.seed} {f.status}: {f.reason}" for f in one.failures),
        "published_mean": published.mean if published else None,
        "published_std": published.std if published else None,
        "published_method": published.method if published else None,
        "published_table": published.table if published else None,
        "same_method": published.same_method if published else None,
        "difference": one.difference,
        "verdict": one.verdict,
    }
