"""The published numbers, and how to find one.

``published.csv`` holds the values of the tables of the paper, one a line: the setting, the paper's method,
the metric, mean and standard deviation over the paper's five seeds. Its column ``note`` says what else was set
(``noise=gumbel``) or, in words, what is special about the whole table.
"""

import csv
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, NamedTuple

CITATION = (
    "Xu, Lachapelle and Magliacane, Identifiability of Potentially Degenerate Gaussian Mixture Models "
    "With Piecewise Affine Mixing, AISTATS 2026, arXiv 2604.13218"
)

BASE = {"n": 10, "k": 1, "m": 10, "rho": 0.5, "delta": 0, "theta": 0}
"""The setting the paper varies one value of at a time."""

STANDARD = {"noise": "gauss", "activation": "leaky"}
"""What the paper's tables mean where they do not say otherwise."""

VARIED = ("noise", "activation", "sparsity_level", "learning_rate", "estimated_latents", "balls", "ball")
"""What single tables of the paper vary besides the base setting: keys in the column ``note``."""

STAGE_SETTINGS = {"stage2.sparsity": "sparsity_level", "stage2.learning_rate": "learning_rate"}
"""What the paper calls the settings of its stages that it varies."""

EXTRA_LATENTS = ("stage1.extra_latents", "stage2.extra_latents")
"""Latents learned beyond the true ones; the paper gives the number of all learned ones."""

COMPARED = (*BASE, *VARIED, "blocks", "x_dim", "observation_noise")
"""A published value belongs to a setting that agrees in all of these. The paper's x has the dimension of z
and no noise."""

COST = "seconds_to_converge_gpu"
"""A metric that is computed from two published ones."""

SEEDS = 5
"""Runs behind a published mean and standard deviation."""

_CONDITIONS = re.compile(r"(\w+=[\w.+-]+)( \w+=[\w.+-]+)*")
_BLOCK_SIZES = re.compile(r"block sizes ([\d,]+);")


class PublishedValue(NamedTuple):
    """A published number; ``std`` is None where the paper gives none."""

    mean: float
    std: float | None
    table: int


@dataclass(frozen=True)
class _Row:
    table: int
    setting: dict[str, Any]
    method: str
    metric: str
    value: PublishedValue


def lookup(setting: Mapping[str, Any], method: str, metric: str, table: int) -> PublishedValue | None:
    """The value in a table of the paper, or None where it has none, or several that differ.

    ``setting`` holds the settings of a dataset: n, k, m, rho (``0.5``, ``"50%"`` or ``"1var"``), delta, theta,
    and what the table varies besides them (``noise``, ``activation``, ``sparsity_level``, …). Settings that
    say nothing about the distribution of the data, such as sample counts, do not matter. ``method`` and
    ``metric`` are the names used in ``published.csv``. Table 3 is table 1 with standard deviations.
    """
    wanted = normalised(setting)
    found = {
        row.value
        for row in _rows()
        if (row.table, row.method, row.metric) == (table, method, metric) and _agree(row.setting, wanted)
    }
    return found.pop() if len(found) == 1 else None


def _agree(published: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    # Tables 20 to 22 have one list of block sizes each: who does not name the blocks means the table's own.
    named = {key: value for key, value in published.items() if key != "blocks" or "blocks" in wanted}
    return named == wanted


def normalised(setting: Mapping[str, Any]) -> dict[str, Any]:
    """What the paper would say of a setting: one spelling for each value, and nothing it takes for granted."""
    # A dataset with latents that lacks one of the paper's settings has no way to depart from it.
    values = {**(BASE if "n" in setting else {}), **setting}
    values |= {name: values[key] for key, name in STAGE_SETTINGS.items() if key in values}
    if extra := sum(int(values.get(key) or 0) for key in EXTRA_LATENTS):
        values["estimated_latents"] = values["n"] + extra
    values = {key: normal_value(values[key]) for key in COMPARED if values.get(key) is not None}
    if values.get("x_dim") == values.get("n"):
        values.pop("x_dim", None)
    return {key: value for key, value in values.items() if STANDARD.get(key) != value}


def normal_value(value: Any) -> Any:
    """``"50%"`` as 0.5, ``"1 var"`` as ``"1var"``, numbers and their texts as floats, ``[2, 3]`` as ``"2,3"``."""
    if isinstance(value, list | tuple):
        return ",".join(str(part) for part in value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    text = str(value).replace(" ", "")
    try:
        return float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        return text


@functools.cache
def _rows() -> tuple[_Row, ...]:
    text = files("pdgmm.report").joinpath("published.csv").read_text(encoding="utf-8")
    rows = [_parsed(line) for line in csv.DictReader(text.splitlines())]
    return (*rows, *_costs(rows))


def _costs(rows: list[_Row]) -> list[_Row]:
    """The time until convergence: table 5 gives the epochs, and the seconds that a thousand of them take."""
    speeds = [row for row in rows if row.metric == "seconds_per_1000_epochs_gpu"]
    epochs = [row for row in rows if row.metric == "epochs_to_converge"]
    return [
        replace(row, metric=COST, value=row.value._replace(mean=row.value.mean * speed.value.mean / 1000))
        for row in epochs
        for speed in speeds
        if (row.table, row.method, row.setting) == (speed.table, speed.method, speed.setting)
    ]


def _parsed(line: dict[str, str]) -> _Row:
    setting: dict[str, Any] = {key: line[key] for key in BASE if line[key]}
    if _CONDITIONS.fullmatch(line["note"]):
        setting |= dict(part.split("=") for part in line["note"].split(" "))
    if sizes := _BLOCK_SIZES.match(line["note"]):
        setting["blocks"] = sizes[1]
    table, std = int(line["table"]), float(line["std"]) if line["std"] else None
    value = PublishedValue(float(line["mean"]), std, table)
    return _Row(table, normalised(setting), line["method"], line["metric"], value)
