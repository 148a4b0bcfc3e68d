"""What tables contain: runs, the columns of all metrics on all splits, and the training times."""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from scipy.special import stdtrit

from pdgmm.errors import UserError
from pdgmm.evaluation import metrics
from pdgmm.evaluation.base import Column, Metric
from pdgmm.evaluation.scoring import APART, BEFORE_ROTATION
from pdgmm.report.value_words import duration, mean_and_std

OK = "ok"
REFERENCE = "reference"
"""The role of the true latents: not a method, but what methods are compared with."""

RUN = "run"
"""The place of scores that belong to a whole run: its training times."""

GRAPH = "graph_"
"""Followed by the name of a graph method: the place of the scores of its graph."""

COSTS = (
    Column("last_part_seconds", "Training time of the last part", "neither"),
    Column("seconds", "Training time of all parts", "neither"),
)

_SPLITS = {
    "test": "held-out samples",
    "unmasked": "samples with every latent active",
    "independent": "latents without causal edges",
}
"""Descriptions of splits; other splits are shown by their name."""


@dataclass(frozen=True)
class Record:
    """A run and its scores."""

    experiment: str
    """Name of the experiment; each experiment has its own tables."""
    setting: Mapping[str, Any]
    """Settings of the dataset, and swept settings of the method. Runs with equal settings are averaged over seeds."""
    method: str
    """The chain as the config names it."""
    seed: int
    kind: str = ""
    """The chain with its parts' names in the catalogue."""
    role: str = "baseline"
    """``ours``, ``baseline`` or ``reference``; in tables, a method that the paper reports too becomes ``paper``."""
    told: Sequence[str] = ()
    """The names of the truth that the method is given."""
    size: str = ""
    """How long and how large the fit was, as text: "3,000 steps, width 0.1". Different sizes are not averaged."""
    reduced: str = ""
    """What is smaller than in the paper, as text; empty if nothing is."""
    dataset: str = ""
    train_samples: int | None = None
    status: str = OK
    """``ok``, or one word for what happened (``failed``, ``diverged``)."""
    reason: str = ""
    """Why the run failed; empty if it did not."""
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Scores by place and name, in the order of the places."""
    published_table: str | None = None
    """The published table that the experiment repeats, ``<paper>/<table>``; without it nothing is compared."""

    def score(self, place: str, name: str) -> float | None:
        """A score; None if the run does not have it, or failed."""
        return self.metrics.get(place, {}).get(name) if self.status == OK else None


@dataclass(frozen=True)
class Measure:
    """A column of a metric at one place: a split, a section of a metric, or the whole run."""

    split: str
    metric: str
    title: str
    column: Column
    compares_fits: bool = False
    """Whether the value of a run is its mean over the pairs with all other runs."""

    @property
    def higher_is_better(self) -> bool | None:
        """None if neither direction is better; then no value of a row is marked as the best."""
        return {"higher": True, "lower": False}.get(self.column.direction)

    def write(self, mean: float, std: float | None = None) -> str:
        """Mean and deviation as text."""
        return duration(mean) if self.split == RUN else mean_and_std(mean, std, self.column.digits)

    def independent_std(self, std: float | None, runs: int) -> float | None:
        """The deviation of independent runs whose mean has the same standard error, ``std / sqrt(runs)``.

        Pairs share fits, so their mean varies more than the values of the runs suggest: its standard error by the
        jackknife is ``2 (runs - 1) / (runs - 2) std / sqrt(runs)``. None if it is unknown, as for two fits: one pair.
        """
        if std is None or not self.compares_fits:
            return std
        return 2 * (runs - 1) / (runs - 2) * std if runs > 2 else None

    def interval(self, mean: float, std: float | None, runs: int) -> tuple[float, float] | None:
        """A 95 % interval for a mean over pairs of fits, cut at the best value; None for other measures."""
        wide = self.independent_std(std, runs) if self.compares_fits else None
        if wide is None:
            return None
        reach = float(stdtrit(runs - 1, 0.975)) * wide / math.sqrt(runs)
        low, high = mean - reach, mean + reach
        return (low, min(high, 1.0)) if self.higher_is_better else (max(low, 0.0), high)

    def of(self, record: Record) -> float | None:
        """The value of a run; None if the run does not have it, or failed."""
        return record.score(self.split, self.metric)


def measures_of(records: Iterable[Record]) -> list[Measure]:
    """The measures of a table: all columns on the first split, some on the other splits, and those of whole runs."""
    keys: dict[str, set[str]] = {}
    for record in records:
        for place, scores in record.metrics.items():
            keys.setdefault(place, set()).update(scores)
    splits = [place for place in keys if place != RUN and not _section(place)]
    shown = [
        place
        for place in splits
        if not place.endswith((BEFORE_ROTATION, APART)) or place.startswith(splits[0])
    ]
    return [
        _measure(place, metric, column)
        for place in [*shown, *(place for place in keys if place not in splits)]
        for column in _columns(place)
        if place in splits[:1] or place not in splits or column.on_every_split
        # ball_2 comes before ball_10
        for metric in sorted(keys[place], key=lambda name: (len(name), name))
        if fnmatchcase(metric, column.name)
    ]


@functools.cache
def measure_named(split: str, metric: str) -> Measure:
    """The measure of a row of a table."""
    for column in _columns(split):
        if fnmatchcase(metric, column.name):
            return _measure(split, metric, column)
    raise UserError(f"no metric of the catalogue has a column {metric!r} at {split!r}")


@functools.cache
def _section(place: str) -> tuple[Metric, ...]:
    """The metrics whose section is this place; several metrics may share a section."""
    return tuple(one for one in metrics() if one.section and fnmatchcase(place, one.section))


def _columns(place: str) -> Sequence[Column]:
    if place == RUN:
        return COSTS
    if sharing := _section(place):
        return [column for one in sharing for column in one.columns]
    return [column for one in metrics() if not one.section for column in one.columns]


def _measure(place: str, metric: str, column: Column) -> Measure:
    if place == RUN:
        words = ""
    elif sharing := _section(place):
        words = _filled(sharing[0].section_title, place, sharing[0].section)
    else:
        words = _place_words(place)
    title = _filled(column.title, metric, column.name)
    of_pairs = any(one.compares_fits for one in metrics() if column in one.columns)
    return Measure(place, metric, ", ".join(filter(None, [title, words])), column, of_pairs)


def _filled(title: str, name: str, pattern: str) -> str:
    """The title with its ``*`` replaced by the text that matches the ``*`` of the pattern in the name."""
    before, _, after = pattern.partition("*")
    return title.replace("*", name.removeprefix(before).removesuffix(after))


def _place_words(place: str) -> str:
    for ending, words in ((BEFORE_ROTATION, "before their rotation"), (APART, "in which nothing overlaps")):
        if place.endswith(ending):
            return f"{_place_words(place.removesuffix(ending))} {words}"
    return _SPLITS.get(place, f"samples of {place!r}")
