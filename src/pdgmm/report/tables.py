"""Tables of results: from records of runs to a data frame, CSV, Markdown, LaTeX and HTML."""

from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from pdgmm.report.grid import grids
from pdgmm.report.html import render_html
from pdgmm.report.latex import render_latex
from pdgmm.report.markdown import render_markdown
from pdgmm.report.records import Record
from pdgmm.report.summary import Summary, summarise


def results_frame(records: Iterable[Record]) -> pd.DataFrame:
    """One row for every experiment, measure, setting and method, averaged over the seeds.

    Columns: ``experiment``, ``dataset``, a ``setting_<key>`` for every setting, ``method``, ``role`` (the
    paper's, ours, a baseline or a reference), ``size``, ``reduced`` (what of it is smaller than in the
    paper), ``split``, ``metric``, ``mean`` and ``std`` (sample standard deviation) over ``n_ok`` runs,
    ``n_failed``, ``failures`` (seed, status and reason of each), ``published_mean``, ``published_std``,
    ``published_method``, ``published_table``, ``same_method`` (the published column reports this very
    method), ``difference`` and ``verdict`` (see :mod:`pdgmm.report.verdict`).
    """
    return _frame(summarise(records))


def render_csv(summaries: Sequence[Summary]) -> str:
    """The data frame as CSV, numbers in full."""
    return _frame(summaries).to_csv(index=False, lineterminator="\n")


def render_tables(records: Iterable[Record], form: str) -> str:
    """All tables in one of the ``FORMATS``."""
    return FORMATS[form](summarise(records))


FORMATS: dict[str, Callable[[Sequence[Summary]], str]] = {
    "csv": render_csv,
    "md": lambda summaries: render_markdown(grids(summaries)),
    "tex": lambda summaries: render_latex(grids(summaries)),
    "html": lambda summaries: render_html(grids(summaries)),
}
"""By the file's suffix."""


def _frame(summaries: Sequence[Summary]) -> pd.DataFrame:
    keys = dict.fromkeys(key for one in summaries for key in one.setting)
    # Of type object, or a setting that only some rows have would turn its integers into floats.
    frame = pd.DataFrame([_row(one, keys) for one in summaries], dtype=object)
    numbers = ["mean", "std", "published_mean", "published_std", "difference"]
    return frame.astype(dict.fromkeys(numbers, float))


def _row(one: Summary, keys: Iterable[str]) -> dict[str, object]:
    published = one.published
    return {
        "experiment": one.experiment,
        "dataset": one.dataset,
        **{f"setting_{key}": one.setting.get(key) for key in keys},
        "method": one.method,
        "role": one.role,
        "size": one.size,
        "reduced": one.reduced,
        "split": one.measure.split,
        "metric": one.measure.metric,
        "mean": one.mean,
        "std": one.std,
        "n_ok": len(one.values),
        "n_failed": len(one.failures),
        "failures": "; ".join(f"seed {f.seed} {f.status}: {f.reason}" for f in one.failures),
        "published_mean": published.value.mean if published else None,
        "published_std": published.value.std if published else None,
        "published_method": published.column if published else None,
        "published_table": published.value.table if published else None,
        "same_method": published.same_method if published else None,
        "difference": one.difference,
        "verdict": one.verdict,
    }
