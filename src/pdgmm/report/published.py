"""The published numbers, and how to find one.

``published.csv`` holds the values of the tables of the paper, one a line: the setting, the paper's method,
the metric, mean and standard deviation over the paper's five seeds. Its column ``note`` says what else was set
(``noise=gumbel``) or, in words, what is special about the whole table.
"""

import csv
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
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

COMPARED = (*BASE, *VARIED, "x_dim", "observation_noise")
"""A published value belongs to a setting that agrees in all of these. The paper's x has the dimension of z
and no noise."""

_CONDITIONS = re.compile(r"(\w+=[\w.+-]+)( \w+=[\w.+-]+)*")


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
        if (row.table, row.method, row.metric) == (table, method, metric) and row.setting == wanted
    }
    return found.pop() if len(found) == 1 else None


def normalised(setting: Mapping[str, Any]) -> dict[str, Any]:
    """What the paper would say of a setting: one spelling for each value, and nothing it takes for granted."""
    # A dataset with latents that lacks one of the paper's settings has no way to depart from it.
    values = {**(BASE if "n" in setting else {}), **setting}
    values = {key: normal_value(values[key]) for key in COMPARED if values.get(key) is not None}
    if values.get("x_dim") == values.get("n"):
        values.pop("x_dim", None)
    return {key: value for key, value in values.items() if STANDARD.get(key) != value}


def normal_value(value: Any) -> Any:
    """``"50%"`` as 0.5, ``"1 var"`` as ``"1var"``, numbers and their texts as floats."""
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
    return tuple(_parsed(line) for line in csv.DictReader(text.splitlines()))


def _parsed(line: dict[str, str]) -> _Row:
    setting: dict[str, Any] = {key: line[key] for key in BASE if line[key]}
    if _CONDITIONS.fullmatch(line["note"]):
        setting |= dict(part.split("=") for part in line["note"].split(" "))
    table, std = int(line["table"]), float(line["std"]) if line["std"] else None
    value = PublishedValue(float(line["mean"]), std, table)
    return _Row(table, normalised(setting), line["method"], line["metric"], value)
