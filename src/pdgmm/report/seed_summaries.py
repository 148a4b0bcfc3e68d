"""Runs averaged over their seeds, with the worst seed, what failed and what is published: one row of a frame each."""

import json
import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pdgmm.errors import UserError
from pdgmm.report.comparison import PublishedTable
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.records import OK, REFERENCE, Record
from pdgmm.report.table_columns import Measure, measure_named, measures_of
from pdgmm.settings import canonical_json
from pdgmm.store.splits import MAIN

NUMBERS = ("mean", "std", "worst", "chance", "published_mean", "published_std", "difference")


def results_frame(records: Iterable[Record], papers: Path = PAPERS) -> pd.DataFrame:
    """A row for every measure, setting and method of an experiment, in the order of the records.

    A measure that no run has is left out; where there is none at all, because every run failed, one says so.

    Columns: ``experiment``, ``dataset``, ``train_samples``, a ``setting_<key>`` for every setting, ``method``,
    ``role`` (the paper's, ours, a baseline or a reference), ``told`` (the truth it is given), ``size``,
    ``reduced`` (what of it is smaller than in the paper), ``split``, ``metric``, ``mean`` and ``std`` (sample
    standard deviation) over ``n_ok`` runs, ``worst`` of them and ``values`` (JSON, by seed), ``chance``,
    ``n_failed``, ``failures`` (seed, status and reason of each), ``published_mean``, ``published_std``,
    ``published_method``, ``published_table``, ``same_method`` (the published column reports this very method),
    ``difference`` and ``verdict``, which is empty where the method was run at less than the paper's size.
    """
    runs = list(records)
    if not runs:
        raise UserError("there are no runs to tabulate: run an experiment first")
    table = PublishedTable(runs[0].published_table, papers) if runs[0].published_table else None
    keys = dict.fromkeys(key for run in runs for key in flat(run.setting))
    measures = [one for one in measures_of(runs) if any(one.of(run) is not None for run in runs)]
    rows = [
        _row(group, measure, table, keys)
        for measure in measures or [measure_named(MAIN, "mcc")]
        for group in _groups(runs)
        if group[0].role != REFERENCE or any(measure.of(run) is not None for run in group)
    ]
    # Of type object, or a setting that only some rows have would turn its integers into floats.
    return pd.DataFrame(rows, dtype=object).astype(dict.fromkeys(NUMBERS, float))


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


def _row(
    group: list[Record], measure: Measure, table: PublishedTable | None, keys: Iterable[str]
) -> dict[str, Any]:
    run, setting, better = group[0], flat(group[0].setting), measure.higher_is_better
    values = {one.seed: value for one in group if (value := measure.of(one)) is not None}
    chances = [value for one in group if (value := measure.chance_of(one)) is not None]
    failures = [one for one in group if one.status != OK]
    mean = statistics.fmean(values.values()) if values else None
    std = statistics.stdev(values.values()) if len(values) > 1 else None
    chain, where, told = run.kind or run.method, (measure.split, measure.metric), bool(run.told)
    published = table.compare(run.setting, chain, *where, told=told) if table else None
    same = published is not None and published.same_method
    comparable = mean is not None and published is not None and not published.metric.only_beside
    difference = mean - published.mean if comparable else None
    verdict = None
    if comparable and not run.reduced and better is not None:
        verdict = published.verdict(difference, std, len(values), higher_is_better=better)
    return {
        "experiment": run.experiment,
        "dataset": run.dataset,
        "train_samples": run.train_samples,
        **{f"setting_{key}": setting.get(key) for key in keys},
        "method": run.method,
        "role": "paper" if same and run.role != REFERENCE else run.role,
        "told": ", ".join(run.told),
        "size": run.size,
        "reduced": run.reduced,
        "split": measure.split,
        "metric": measure.metric,
        "mean": mean,
        "std": std,
        "worst": None if better is None or not values else (min if better else max)(values.values()),
        "values": json.dumps(values),
        "chance": statistics.fmean(chances) if chances else None,
        "n_ok": len(values),
        "n_failed": len(failures),
        "failures": "; ".join(f"seed {one.seed} {one.status}: {one.reason}" for one in failures),
        **{
            f"published_{name}": getattr(published, name, None) for name in ("mean", "std", "method", "table")
        },
        "same_method": published.same_method if published else None,
        "difference": difference,
        "verdict": verdict,
    }
