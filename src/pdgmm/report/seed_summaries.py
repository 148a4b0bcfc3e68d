"""The table of an experiment: runs averaged over seeds, with the worst seed, failures and published values."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from pdgmm.errors import UserError
from pdgmm.report.comparison import PublishedTable
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.table_columns import OK, REFERENCE, Measure, Record, measure_named, measures_of
from pdgmm.settings import canonical_json, flat
from pdgmm.store.file_messages import quoted
from pdgmm.store.splits import MAIN

NUMBERS = ("mean", "std", "worst", "chance", "published_mean", "published_std", "difference")
COUNTS = ("n_ok", "n_failed")
COLUMNS = (
    *("experiment", "dataset", "train_samples", "method", "role", "told", "size", "reduced", "split"),
    *(
        "metric",
        "seeds",
        "values",
        "failures",
        "published_method",
        "published_table",
        "same_method",
        "verdict",
    ),
    *NUMBERS,
    *COUNTS,
)
"""The columns that every table has, besides those of its settings."""

SETTING = "setting_"
"""The beginning of the name of a column that holds a setting."""


def results_frame(records: Iterable[Record], papers: Path = PAPERS) -> pd.DataFrame:
    """One row for every measure, setting and method of an experiment, in the order of the records.

    Measures that no run has are left out. If every run failed, one measure remains to say so.

    Columns: ``experiment``, ``dataset``, ``train_samples``, a ``setting_<key>`` for every setting, ``method``,
    ``role`` (the paper's, ours, a baseline or a reference), ``told`` (the truth it is given), ``size``,
    ``reduced`` (what is smaller than in the paper), ``split``, ``metric``, ``seeds``, ``mean`` and ``std``
    (sample standard deviation) over ``n_ok`` runs, their ``worst`` and their ``values`` (JSON, by seed), ``chance``,
    ``n_failed``, ``failures`` (seed, status and reason of each), ``published_mean``, ``published_std``,
    ``published_method``, ``published_table``, ``same_method`` (the published column reports this very method),
    ``difference`` and ``verdict``, which is empty if the method was run at a smaller size than in the paper.
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
    # Type object: else the integers of a setting that only some rows have would become floats.
    return pd.DataFrame(rows, dtype=object).astype(dict.fromkeys(NUMBERS, float))


def read_table(path: Path) -> pd.DataFrame:
    """The table of an experiment from its CSV file; :class:`UserError` if it is missing or damaged."""
    try:
        table = pd.read_csv(path)
        if missing := [column for column in COLUMNS if column not in table]:
            raise ValueError(f"it has no column {missing[0]}")
        if not len(table):
            raise ValueError("it has no rows")
        if texts := [column for column in (*NUMBERS, *COUNTS) if not is_numeric_dtype(table[column])]:
            raise ValueError(f"not all of its column {texts[0]} are numbers")
    except (OSError, ValueError) as error:
        raise UserError(
            f"cannot read {path} as an experiment's table ({str(error).strip()}): if a study made it, "
            f"rm {quoted(path)} and run the same command again"
        ) from error
    return table


def row_settings(row: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a row of a table, without the empty ones."""
    return {
        key.removeprefix(SETTING): row[key] for key in row if key.startswith(SETTING) and pd.notna(row[key])
    }


def row_keys(table: pd.DataFrame, *columns: str) -> pd.Series:
    """A key for every row that identifies the fits behind it, together with the row's values in ``columns``.

    The key consists of the dataset, the first seed, the method, and the swept settings of the method (which have a
    dot in their names). The name of a dataset contains a hash of all its settings.
    """
    keys = []
    for row in table.to_dict("records"):
        swept = [f"{key}={value}" for key, value in sorted(row_settings(row).items()) if "." in key]
        keys.append(
            (row["dataset"], first_seed(row), row["method"], *swept, *(known(row[name]) for name in columns))
        )
    return pd.Series(keys, index=table.index, dtype=object)


def first_seed(row: Mapping[str, Any]) -> int:
    """The smallest seed of a row's runs; experiments with the same first seed share runs."""
    return int(str(row["seeds"]).partition(",")[0])


def unrepeated(
    tables: Iterable[pd.DataFrame], columns: Sequence[str] = ("size", "split", "metric", "published_table")
) -> list[pd.DataFrame]:
    """The tables without rows whose key (:func:`row_keys`) is already in an earlier table.

    If experiments share runs but have different numbers of seeds, the row of the first one counts.
    """
    seen: set[tuple[Any, ...]] = set()
    kept = []
    for table in tables:
        keys = row_keys(table, *columns)
        kept.append(table[~keys.isin(seen)])
        seen.update(keys)
    return kept


def known(value: Any) -> Any:
    """The value, or None for an empty cell, however pandas represents it."""
    return None if pd.isna(value) else value


def _groups(runs: list[Record]) -> list[list[Record]]:
    """Groups of runs that differ only in their seed."""
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
    chances = [
        value for one in group if (value := one.score(measure.split, measure.column.chance)) is not None
    ]
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
        spread = measure.independent_std(std, len(values))
        verdict = published.verdict(difference, spread, len(values), higher_is_better=better)
    return {
        "experiment": run.experiment,
        "dataset": run.dataset,
        "train_samples": run.train_samples,
        **{SETTING + key: setting.get(key) for key in keys},
        "method": run.method,
        "role": "paper" if same and run.role != REFERENCE else run.role,
        "told": ", ".join(run.told),
        "size": run.size,
        "reduced": run.reduced,
        "split": measure.split,
        "metric": measure.metric,
        "seeds": ", ".join(str(seed) for seed in sorted(one.seed for one in group)),
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
