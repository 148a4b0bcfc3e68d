"""Sentences on measured means that differ from the published ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pdgmm.report.comparison import published_of
from pdgmm.report.paper_files import PAPERS
from pdgmm.report.table_columns import measure_named
from pdgmm.report.table_files import known
from pdgmm.report.value_words import counted, difference


def disagreements(rows: Sequence[Mapping[str, Any]], papers: Path = PAPERS) -> list[str]:
    """A sentence for every method, measure and direction, with the settings in which it differs from the paper.

    ``rows`` are those of a table (see :func:`pdgmm.report.seed_summaries.results_frame`), with their ``setting`` in
    words. They differ by more than two standard errors of the difference or, where that is wide because few seeds vary
    much, by more than two published standard deviations.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if pd.notna(row["difference"]) and (beyond := _beyond(row, papers)):
            found = measure_named(row["split"], row["metric"]).write(row["mean"], known(row["std"]))
            settings = groups.setdefault(_sentence(row, beyond), [])
            settings.append(f"{row['setting']} ({difference(row['difference'])}, {found})")
    return [
        f"{start} in {counted(len(settings), 'setting')}: {'; '.join(settings)}.{end}"
        for (start, end), settings in groups.items()
    ]


def _beyond(row: Mapping[str, Any], papers: Path) -> str:
    """What the difference exceeds, in words; empty where it exceeds nothing."""
    published, gap = published_of(row, papers), row["difference"]
    if published.verdict(gap, known(row["std"]), int(row["n_ok"]), higher_is_better=True) != "agrees":
        return "two standard errors"
    if published.beyond_deviations(gap):
        return "two published standard deviations, though within two standard errors,"
    return ""


def _sentence(row: Mapping[str, Any], beyond: str) -> tuple[str, str]:
    """What comes before and after the settings."""
    measure, reduced = measure_named(row["split"], row["metric"]), known(row["reduced"])
    higher = row["difference"] > 0
    # Of a method that was not given its size, the number alone speaks.
    if reduced or measure.higher_is_better is None:
        direction = "higher" if higher else "lower"
    else:
        direction = "better" if higher == measure.higher_is_better else "worse"
    end = f" Run at less than the paper's size ({reduced}), which may be the reason." if reduced else ""
    return (
        f"`{row['method']}`, {measure.title}: {direction} than the paper's {row['published_method']} by more than "
        f"{beyond}",
        end,
    )
