"""Which published number belongs beside which of ours, and whether the two agree."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from pdgmm.errors import UserError
from pdgmm.report.papers.paper_files import PAPERS, Paper, PublishedLine, PublishedMetric, read_paper
from pdgmm.report.value_words import normal_value

Verdict = Literal["agrees", "better", "worse"]

TRUE_LATENTS = "true latents"
"""Takes the place of a method, for what perfect latents would give."""

STANDARD_ERRORS = 2.0

RULE = (
    "A measured mean agrees with the published one where they differ by no more than two standard errors of the "
    "difference, sqrt(s²/seeds + S²/published seeds) with s and S the measured and the published standard deviation "
    "over seeds, or by no more than one unit of the last published digit. Where one of the deviations is not known, "
    "the other one is taken for it."
)
"""The rule for readers."""


@dataclass(frozen=True)
class Published:
    """A published number beside one of ours."""

    mean: float
    std: float | None
    seeds: int
    table: str
    """``<paper>/<table>``."""
    method: str
    """The published method, in words."""
    same_method: bool
    """Whether that is the very method of ours."""
    metric: PublishedMetric

    def tolerance(self, std: float | None, seeds: int) -> float:
        """The largest difference from a measured mean that counts as agreement; see ``RULE``."""
        error = standard_error(std, seeds, self.std, self.seeds) or 0.0
        return max(10.0**-self.metric.digits, STANDARD_ERRORS * error)

    def verdict(self, difference: float, std: float | None, seeds: int, *, higher_is_better: bool) -> Verdict:
        """What a difference, measured minus published, says of a mean over ``seeds`` of them."""
        # A published 0.97 and a measured 0.96 differ by 0.010000000000000009 in binary numbers.
        if abs(difference) <= self.tolerance(std, seeds) * (1 + 1e-9):
            return "agrees"
        return "better" if (difference > 0) == higher_is_better else "worse"


def standard_error(
    std: float | None, seeds: int, published_std: float | None, published_seeds: int
) -> float | None:
    """Of the difference of two means over seeds, see ``RULE``; None where neither deviation is known."""
    known = [value for value in (std, published_std) if value is not None]
    if not known:
        return None
    ours, theirs = (known * 2)[:2]
    return (ours**2 / seeds + theirs**2 / published_seeds) ** 0.5


class PublishedTable:
    """A table of a paper that an experiment repeats, by its name ``<paper>/<table>``."""

    def __init__(self, name: str, folder: Path = PAPERS) -> None:
        self.key, _, number = name.partition("/")
        self.paper, self._lines = read_paper(self.key, folder)
        if number not in self.paper.tables:
            raise UserError(
                f"published_table: {name!r} is not a table of {self.key}, write {self.key}/<number>: "
                f"{', '.join(self.paper.tables)}"
            )
        self._numbers = next((group for group in self.paper.together if number in group), [number])

    @property
    def base(self) -> dict[str, Any]:
        """The setting that all others are named by."""
        return {**self.paper.base, **self.paper.standard}

    def reported(self, split: str, metric: str) -> PublishedMetric | None:
        """What the paper calls a metric of ours; None where it does not report it."""
        metrics = (one for one in self.paper.metrics if one.split == split)
        return next((one for one in metrics if fnmatchcase(metric, one.metric)), None)

    def compare(
        self, setting: Mapping[str, Any], chain: str, split: str, metric: str, *, told: bool = False
    ) -> Published | None:
        """The published value to hold a result against, or None where there is none.

        ``setting`` holds the settings of the dataset and the swept ones of the method; what says nothing about the
        distribution of the data, such as sample counts, does not matter. ``chain`` names the method by the catalogue.
        One that is ``told`` a part of the truth is only held against a published method that is told it too; ``""``
        gives the value of the paper's own method.
        """
        reported = self.reported(split, metric)
        method, same_method = self._method(chain, metric, told)
        if reported is None or method is None:
            return None
        if reported.number:
            setting = {**setting, reported.number: metric.removeprefix(reported.metric.removesuffix("*"))}
        wanted = paper_setting(self.paper, setting)
        for number in self._numbers:
            key = (number, method, reported.published)
            found = {
                (line.mean, line.std)
                for line in self._lines
                if (line.table, line.method, line.metric) == key and self._agrees(line, wanted)
            }
            # Values that cannot be told apart are no answer.
            if len(found) == 1:
                words = self.paper.methods[method]
                return Published(
                    *found.pop(), self.paper.seeds, f"{self.key}/{number}", words, same_method, reported
                )
        return None

    def _method(self, chain: str, metric: str, told: bool) -> tuple[str | None, bool]:
        """The published method for a chain and metric, and whether it is the same one."""
        for chains, same in ((self.paper.counterparts, True), (self.paper.rivals, False)):
            for pattern, methods in chains.items():
                if fnmatchcase(chain, pattern) and (method := _named(methods, metric)):
                    return method, same
        return None if told else _named(self.paper.best, metric), False

    def _agrees(self, line: PublishedLine, wanted: Mapping[str, Any]) -> bool:
        published = paper_setting(self.paper, line.setting)
        implied = [key for key in self.paper.implied if key not in wanted]
        return {key: value for key, value in published.items() if key not in implied} == wanted


def paper_setting(paper: Paper, setting: Mapping[str, Any]) -> dict[str, Any]:
    """What the paper would say of a setting: one spelling for each value, and nothing that it takes for granted."""
    # A dataset with latents that lacks one of the paper's settings has no way to depart from it.
    values = {**(paper.base if any(key in setting for key in paper.base) else {}), **setting}
    values |= {theirs: values[ours] for ours, theirs in paper.renamed.items() if ours in values}
    for name, (first, *patterns) in paper.added.items():
        parts = [values[key] for key in setting if any(fnmatchcase(key, pattern) for pattern in patterns)]
        if more := sum(int(part or 0) for part in parts):
            values[name] = values[first] + more
    values = {key: normal_value(values[key]) for key in paper.compared if values.get(key) is not None}
    for key, other in paper.same_as.items():
        if values.get(key) == values.get(other):
            values.pop(key, None)
    return {key: value for key, value in values.items() if paper.standard.get(key) != value}


def _named(methods: Mapping[str, str], metric: str) -> str | None:
    return next((method for pattern, method in methods.items() if fnmatchcase(metric, pattern)), None)
