"""Which published number stands beside which of ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from pdgmm.errors import UserError
from pdgmm.report.measures import BALL
from pdgmm.report.published import COST, PublishedValue, lookup

BLOCK_R2 = "block_r2_diagonal_min"
"""How well the worst learned latent belongs to its own block of true ones."""

PER_BALL = "per_ball_score"
"""How well two learned latents belong to one ball."""

TRUE_LATENTS = "true latents"
"""Stands where a method does, for what perfect latents would give."""

COUNTERPARTS: dict[str, dict[str, str]] = {
    "autoencoder+none": {"r2": "stage1", "mcc": "stage1"},
    "autoencoder+lagrangian": {
        "mcc": "stage2",
        "stage2_seconds": "stage2",
        "shd": "pc_on_stage2",
        BLOCK_R2: "stage2",
        PER_BALL: "stage2",
    },
    "autoencoder+unconstrained": {"mcc": "stage2_no_sparsity"},
    "*+vade_as_published": {"r2": "vade", "mcc": "vade"},
    TRUE_LATENTS: {"shd": "pc_on_true_latents"},
}
"""Methods of the paper: per metric, the published column that reports the same method."""

RIVALS: dict[str, dict[str, str]] = {"*+oracle": {"mcc": "oracle_xu2024"}}
"""Methods that are told what another published method is told: per metric, the column of that method."""

RIVAL_COLUMNS = frozenset(column for columns in RIVALS.values() for column in columns.values())

BEST: dict[str, str] = {
    "r2": "stage1",
    "mcc": "stage2",
    "stage2_seconds": "stage2",
    "shd": "pc_on_stage2",
    BLOCK_R2: "stage2",
    PER_BALL: "stage2",
}
"""All else is held against the paper's own method: R2 of its stage 1, MCC, cost and graph of its stage 2."""

OURS = ("flow+*", "*+spike_slab")
"""Methods of our own; what is neither theirs nor ours is a baseline."""

NAMES: dict[str, str] = {
    "stage1": "stage 1",
    "stage2": "stage 2",
    "stage2_no_sparsity": "stage 2, no sparsity",
    "oracle_xu2024": "oracle of Xu et al. (2024)",
    "vade": "VaDE",
    "pc_on_stage2": "PC on stage 2",
    "pc_on_true_latents": "PC on the true latents",
}
"""The published columns in words."""

PUBLISHED_METRICS: dict[tuple[str, str], str] = {
    ("test", "r2"): "r2",
    ("test", "mcc"): "mcc",
    ("independent", "mcc"): "mcc_independent",
    ("run", "stage2_seconds"): COST,
    ("graph_pc", "shd"): "shd_cpdag",
    ("test", BLOCK_R2): "r2_block_diagonal_min",
}
"""What the paper reports, by split and metric; nothing is published for any other."""

MAIN_TABLES = (3, 4, 8, 11)
"""One set of runs: all metrics with deviations (table 1 in full), independent latents, the ablation, and graphs."""


BALL_TABLES = (13, 14, 15)
"""Two, four and six balls."""


@dataclass(frozen=True)
class Comparison:
    """A published value, the column it is from, and whether that column reports the very method compared."""

    value: PublishedValue
    column: str
    same_method: bool


def compare(
    setting: Mapping[str, Any], method: str, split: str, metric: str, table: int | str | None
) -> Comparison | None:
    """The published value to hold a result against, or None where there is none.

    ``table`` is the paper's table the experiment repeats; None says that it repeats none. ``method`` is a
    pair of catalogue names, ``<stage1>+<stage2>``.
    """
    column, same_method = counterpart(method, metric)
    published_metric = PUBLISHED_METRICS.get((split, metric))
    if metric.startswith(BALL):
        column, same_method = counterpart(method, PER_BALL)
        published_metric = PER_BALL if split == "test" else None
    if table is None or column is None or published_metric is None:
        return None
    if metric.startswith(BALL):
        setting = {**setting, "ball": int(metric.removeprefix(BALL))}
    for number in _tables(table):
        value = lookup(setting, column, published_metric, number)
        if value is not None:
            return Comparison(value, column, same_method)
    return None


def best_published(
    setting: Mapping[str, Any], split: str, metric: str, table: int | str | None
) -> Comparison | None:
    """The value of the paper's own method."""
    return compare(setting, "", split, metric, table)


def counterpart(method: str, metric: str) -> tuple[str | None, bool]:
    """The published column for a method and metric, and whether it reports the same method."""
    for pattern, columns in COUNTERPARTS.items():
        if fnmatchcase(method, pattern) and metric in columns:
            return columns[metric], True
    for pattern, columns in RIVALS.items():
        if fnmatchcase(method, pattern) and metric in columns:
            return columns[metric], False
    return BEST.get(metric), False


def role(method: str, comparison: Comparison | None) -> str:
    """``paper`` for a method that the published column reports, ``ours``, or ``baseline``."""
    if comparison is not None and comparison.same_method:
        return "paper"
    return "ours" if any(fnmatchcase(method, pattern) for pattern in OURS) else "baseline"


def _tables(table: int | str) -> tuple[int, ...]:
    try:
        number = int(table)
    except ValueError:
        raise UserError(f"published_table: {table!r} is no table of the paper, give its number") from None
    if number == 1 or number in MAIN_TABLES:
        return MAIN_TABLES
    return BALL_TABLES if number in BALL_TABLES else (number,)
