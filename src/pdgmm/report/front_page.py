"""The lines of the page that sums up a reproduction: an experiment each, with the reasons behind its counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pdgmm.report.agreement_counts import VERDICTS
from pdgmm.report.seed_summaries import known

MOST_SETTINGS = 4
"""That a reason names one by one."""


@dataclass(frozen=True)
class Line:
    """An experiment: the verdicts on the paper's methods and on ours in words, and why some are missing or bad."""

    name: str
    title: str
    paper: str
    ours: str
    why: list[str]


def front_line(counts: Mapping[str, Any], compared: pd.DataFrame, title: str) -> Line:
    """From a row of :func:`pdgmm.report.agreement_counts.agreement` and the compared values of its experiment.

    ``compared`` is the part of :func:`pdgmm.report.reproduction_figure.reproduction_frame` for the experiment.
    """
    return Line(
        name=str(counts["experiment"]),
        title=title,
        paper=_words(counts, "paper", int(counts["paper_reduced"])),
        ours=_words(counts, "ours", 0),
        why=[*_unjudged(compared), *_worse(compared)],
    )


def _words(counts: Mapping[str, Any], group: str, reduced: int) -> str:
    """``3 / 1 / 0``, ``3 / 1 / 0, 8 not judged``, ``8 not judged``, or nothing."""
    numbers = [int(counts[f"{group}_{verdict}"]) for verdict in VERDICTS]
    parts = [" / ".join(map(str, numbers))] if any(numbers) else []
    return ", ".join([*parts, *([f"{reduced} not judged"] if reduced else [])])


def _unjudged(compared: pd.DataFrame) -> list[str]:
    rows = compared[compared["reduced"].map(known).notna() & compared["role"].eq("paper")]
    methods = dict.fromkeys(rows["method"])
    return [f"smaller than in the paper: {', '.join(f'`{method}`' for method in methods)}"] if methods else []


def _worse(compared: pd.DataFrame) -> list[str]:
    rows = compared[compared["verdict"].eq("worse") & compared["role"].isin(["paper", "ours"])]
    reasons = []
    for method, found in rows.groupby("method", sort=False):
        settings = list(dict.fromkeys(found["setting"]))
        named = ", ".join(settings[:MOST_SETTINGS])
        more = f" and {len(settings) - MOST_SETTINGS} more" if len(settings) > MOST_SETTINGS else ""
        reasons.append(f"`{method}` is worse at {named}{more}")
    return reasons
