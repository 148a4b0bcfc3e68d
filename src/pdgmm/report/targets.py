"""What we aim for with our method, beside what the paper has and what was reached.

``targets.csv`` holds the aims, one a line: what differs from the base setting (``rho=75%``), the measure, the least
mean and, in ``not_below``, a method whose mean must not be higher.
"""

import csv
import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pandas as pd

from pdgmm.report.comparison import compare
from pdgmm.report.measures import measure_named
from pdgmm.report.published import BASE, STANDARD, normal_value
from pdgmm.report.text import ABSENT, mean_and_std, setting_label

METHOD = "flow+spike_slab"

AIMED_AT = "pdgmm"
"""The generator of the datasets of all aims; others have settings of the same names."""

TITLE = "What we aim for"

MAIN_TABLE = 3
"""The paper's table with its values for these settings."""

HEAD = ["setting", "measure", "aim", "paper", "reached", "seeds", ""]

MET, MISSED, NOT_RUN = "met", "missed", "not run yet"


@dataclass(frozen=True)
class Target:
    """The least mean of a measure in a setting; ``setting`` holds what differs from the base setting."""

    setting: Mapping[str, Any]
    split: str
    metric: str
    least: float
    not_below: str


@functools.cache
def targets() -> tuple[Target, ...]:
    """All aims, in the order of the file."""
    text = files("pdgmm.report").joinpath("targets.csv").read_text(encoding="utf-8")
    return tuple(
        Target(
            _setting(line["setting"]), line["split"], line["metric"], float(line["target"]), line["not_below"]
        )
        for line in csv.DictReader(text.splitlines())
    )


def targets_markdown(tables: Sequence[pd.DataFrame]) -> str:
    """A heading, how many aims are met, and a line for each; ``tables`` are those of experiments on ``AIMED_AT``."""
    lines = [_line(target, tables) for target in targets()]
    counts = Counter(line[-1] for line in lines)
    words = ", ".join(f"{counts[word]} {word}" for word in (MET, MISSED, NOT_RUN) if counts[word])
    rows = "\n".join(f"| {' | '.join(line)} |" for line in [HEAD, ["---"] * len(HEAD), *lines])
    return (
        f"## {TITLE}\n\nOf `{METHOD}`, as a mean over seeds: {words}. *Paper* is its own method in the same "
        "setting, where it has a value; samples are 100,000 unless a setting says otherwise. Where the latents are "
        f"rotated (θ), the aim is to find those before the rotation.\n\n{rows}\n"
    )


def _line(target: Target, tables: Sequence[pd.DataFrame]) -> list[str]:
    row = _found(target, METHOD, tables)
    other = _found(target, target.not_below, tables) if target.not_below else None
    aim = f"≥ {target.least:g}"
    if target.not_below:
        reference = "" if other is None else f" ({other['mean']:.3f})"
        aim += f", not below `{target.not_below}`{reference}"
    return [
        setting_label(target.setting),
        measure_named(target.split, target.metric).title,
        aim,
        _published(target),
        ABSENT if row is None else _reached(row),
        ABSENT if row is None else _seeds(row),
        _word(target, row, other),
    ]


def _word(target: Target, row: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> str:
    if row is None:
        return NOT_RUN
    # A mean that failed everywhere is missing, and greater than nothing.
    if not row["mean"] >= target.least:
        return MISSED
    if not target.not_below:
        return MET
    if other is None:
        return NOT_RUN
    return MET if row["mean"] >= other["mean"] else MISSED


def _reached(row: Mapping[str, Any]) -> str:
    if pd.isna(row["mean"]):
        return "failed"
    return mean_and_std(row["mean"], None if pd.isna(row["std"]) else float(row["std"]), 4)


def _seeds(row: Mapping[str, Any]) -> str:
    ok, failed = int(row["n_ok"]), int(row["n_failed"])
    return f"{ok} of {ok + failed}" if failed else str(ok)


def _published(target: Target) -> str:
    if not target.setting.keys() <= BASE.keys():
        return ABSENT
    found = compare({**BASE, **target.setting}, METHOD, target.split, target.metric, MAIN_TABLE)
    return ABSENT if found is None else mean_and_std(*found.value[:2], 2)


def _found(target: Target, method: str, tables: Sequence[pd.DataFrame]) -> dict[str, Any] | None:
    """The row of a method that the aim is about, of several the one with the most seeds; None without one."""
    wanted = {key: normal_value(value) for key, value in target.setting.items()}
    rows = [
        row
        for table in tables
        for row in table[
            (table["method"] == method)
            & (table["split"] == target.split)
            & (table["metric"] == target.metric)
        ].to_dict("records")
        if row["n_ok"] + row["n_failed"] and _changes(row) == wanted
    ]
    return max(rows, key=lambda row: row["n_ok"], default=None)


def _changes(row: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a row of a table that differ from the base setting."""
    prefix, usual = "setting_", {**BASE, **STANDARD}
    settings = {
        key.removeprefix(prefix): normal_value(value)
        for key, value in row.items()
        if key.startswith(prefix) and not pd.isna(value)
    }
    return {
        key: value for key, value in settings.items() if key not in usual or value != normal_value(usual[key])
    }


def _setting(text: str) -> dict[str, Any]:
    """``"rho=75%"`` as ``{"rho": "75%"}``, numbers as numbers, so that they are written as such."""
    pairs = dict(part.split("=") for part in text.split(" ")) if text else {}
    return {key: int(value) if value.isdigit() else value for key, value in pairs.items()}
