"""How long a study will take, estimated from fits that were timed before."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pdgmm.catalogue import JOINT
from pdgmm.errors import UserError
from pdgmm.report.kept_tables import HOURS_COLUMNS
from pdgmm.study.plan_summary import fits_of
from pdgmm.study.study import Study

KEPT_TIMES = Path("docs/reproduction/hours.csv")
"""The file of measured times that ``pdgmm reproduction`` writes: dataset, fit, size, seeds and seconds."""


@dataclass(frozen=True)
class Hours:
    """The core-hours of the fits with a known time, the number of those fits, and the others counted by method."""

    hours: float
    known: int
    unknown: dict[str, int]

    def words(self) -> str:
        """The estimate as one or two lines of text."""
        total = self.known + sum(self.unknown.values())
        time = (
            f"about {self.hours:,.1f} core-hours"
            if self.hours >= 0.1
            else f"about {60 * self.hours:.1f} core-minutes"
        )
        line = f"{time} for {self.known:,} of {total:,} fits, from measured times"
        if not self.unknown:
            return line
        missing = ", ".join(f"{count:,} {name}" for name, count in self.unknown.items())
        return f"{line}\nnever timed at this size: {missing}"


def read_times(path: Path) -> pd.DataFrame:
    """The measured times in a file; a :class:`UserError` if it is missing or holds something else."""
    try:
        times = pd.read_csv(path)
        if missing := [name for name in HOURS_COLUMNS if name not in times]:
            raise ValueError(f"it has no column {missing[0]}")
    except (OSError, ValueError) as error:
        raise UserError(
            f"cannot read measured times from {path} ({str(error).strip()}): give a file that "
            "`pdgmm reproduction` wrote, or leave out --times"
        ) from error
    return times.fillna({"size": ""})


def expected_hours(study: Study, times: pd.DataFrame) -> Hours:
    """The expected hours of all fits of a study; fits that several experiments share count once.

    A fit is expected to take as long as the same fit on the same dataset took before. If there is none, the mean over
    fits of the same method and size on other datasets is used.
    """
    each = times["seconds"] / times["seeds"]
    exact = dict(zip(zip(times["dataset"], times["fit"], times["size"], strict=True), each, strict=True))
    kinds = times["fit"].map(lambda fit: _kind(study, fit))
    similar = each.groupby([kinds, times["size"]]).mean().to_dict()
    seconds: list[float] = []
    unknown: Counter[str] = Counter()
    for dataset, _, fit in sorted(fits_of(study.runs())):
        method, size = _kind(study, fit), study.last_part(fit).settings.size()
        took = exact.get((dataset, fit, size), similar.get((method, size)))
        if took is None:
            unknown[method] += 1
        else:
            seconds.append(took)
    return Hours(sum(seconds) / 3600, len(seconds), dict(unknown))


def _kind(study: Study, fit: str) -> str:
    """The catalogue's name for the last part of a fit, or the part's own name if the study does not have it."""
    name = fit.rpartition(JOINT)[2]
    return study.methods[name].method if name in study.methods else name
