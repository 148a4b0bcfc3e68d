"""Sentences on measured means that differ from the published ones."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from pdgmm.report.comparison import NAMES
from pdgmm.report.measures import Measure, measure_named
from pdgmm.report.published import PublishedValue
from pdgmm.report.text import difference
from pdgmm.report.verdict import beyond_deviations, tolerance, verdict


class _Group(NamedTuple):
    """What settings in one sentence share."""

    method: str
    measure: str
    direction: str
    against: str
    beyond: str
    reduced: str


def disagreements(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for every method, measure and direction, with the settings in which it differs from the paper.

    ``rows`` are those of a table (see :func:`pdgmm.report.tables.results_frame`), with their ``setting`` in words.
    They differ by more than two standard errors of the difference or, where that is wide because few seeds vary
    much, by more than two published standard deviations.
    """
    groups: dict[_Group, list[str]] = {}
    for row in rows:
        if pd.isna(row["difference"]):
            continue
        measure = measure_named(row["split"], row["metric"])
        if beyond := _beyond(row, measure):
            found = measure.write(row["mean"], _known(row["std"]))
            settings = groups.setdefault(_group(row, measure, beyond), [])
            settings.append(f"{row['setting']} ({difference(row['difference'])}, {found})")
    return [_sentence(group, settings) for group, settings in groups.items()]


def _beyond(row: Mapping[str, Any], measure: Measure) -> str:
    """What the difference exceeds, in words; empty where it exceeds nothing."""
    published = PublishedValue(
        row["published_mean"], _known(row["published_std"]), int(row["published_table"])
    )
    largest = tolerance(_known(row["std"]), int(row["n_ok"]), published, measure.published_digit)
    if verdict(row["difference"], largest, higher_is_better=True) != "agrees":
        return "two standard errors"
    if beyond_deviations(row["difference"], published, measure.published_digit):
        return "two published standard deviations, though within two standard errors,"
    return ""


def _group(row: Mapping[str, Any], measure: Measure, beyond: str) -> _Group:
    reduced = "" if pd.isna(row["reduced"]) else str(row["reduced"])
    higher = row["difference"] > 0
    # Of a method that was not given its size, the number alone speaks.
    if reduced or measure.higher_is_better is None:
        direction = "higher" if higher else "lower"
    else:
        direction = "better" if higher == measure.higher_is_better else "worse"
    against = NAMES.get(row["published_method"], row["published_method"])
    return _Group(row["method"], measure.title, direction, against, beyond, reduced)


def _sentence(group: _Group, settings: Sequence[str]) -> str:
    why = (
        f" Run at less than the paper's size ({group.reduced}), which may be the reason."
        if group.reduced
        else ""
    )
    return (
        f"`{group.method}`, {group.measure}: {group.direction} than the paper's {group.against} by more than "
        f"{group.beyond} in {len(settings)} setting{'s' if len(settings) > 1 else ''}: {'; '.join(settings)}.{why}"
    )


def _known(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
