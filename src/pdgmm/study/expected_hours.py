"""What a study will cost, from fits that were timed before."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pdgmm.catalogue import JOINT
from pdgmm.errors import UserError
from pdgmm.study.plan_summary import fits_of
from pdgmm.study.study import Study

KEPT_TIMES = Path("docs/reproduction/hours.csv")
"""Written by ``pdgmm reproduction``: dataset, fit, size, seeds and seconds."""

COLUMNS = ("dataset", "fit", "size", "seeds", "seconds")


@dataclass(frozen=True)
class Hours:
    """Core-hours of the fits whose time is known, how many these are, and how many of each method are not."""

    hours: float
    known: int
    unknown: dict[str, int]

    def words(self) -> str:
        """A line or two for a reader."""
        total = self.known + sum(self.unknown.values())
        line = f"about {self.hours:,.1f} core-hours for {self.known:,} of {total:,} fits, from measured times"
        if not self.unknown:
            return line
        missing = ", ".join(f"{count:,} {name}" for name, count in self.unknown.items())
        return f"{line}\nnever timed at this size: {missing}"


def read_times(path: Path) -> pd.DataFrame:
    """The measured times of a file; one that is missing or of something else is named."""
    try:
        times = pd.read_csv(path)
        if missing := [name for name in COLUMNS if name not in times]:
            raise ValueError(f"it has no column {missing[0]}")
    except (OSError, ValueError) as error:
        raise UserError(
            f"cannot read measured times from {path} ({str(error).strip()}): give a file that "
            "`pdgmm reproduction` wrote, or leave out --times"
        ) from error
    return times.fillna({"size": ""})


def expected_hours(study: Study, times: pd.DataFrame) -> Hours:
    """The sum over the fits of a study; those that experiments share count once.

    A fit takes as long as the same one did on the same dataset, else the mean of those with the same method at the
    same size on other data.
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
    """The catalogue's name for the last part of a fit, or the part as it is written where the study lacks it."""
    name = fit.rpartition(JOINT)[2]
    return study.methods[name].method if name in study.methods else name
