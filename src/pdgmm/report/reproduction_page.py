"""The published tables beside the measured ones as a document, written from the tables of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from pdgmm.report.agreement_counts import (
    agreement,
    agreement_markdown,
    is_told_the_truth,
    without_repetitions,
)
from pdgmm.report.comparison import PublishedTable, published_of
from pdgmm.report.disagreements import disagreements
from pdgmm.report.paper_files import PAPERS
from pdgmm.report.records import REFERENCE
from pdgmm.report.rendering import markdown_table
from pdgmm.report.reproduction_figure import CAPTION, WORDS
from pdgmm.report.table_columns import measure_named
from pdgmm.report.table_files import known, row_settings
from pdgmm.report.table_model import REDUCED, published_text
from pdgmm.report.value_words import ABSENT, difference, setting_labels, usual_values
from pdgmm.settings import canonical_json
from pdgmm.store.splits import MAIN

COLUMNS = [
    *("experiment", "setting", "method", "role", "told", "split", "metric"),
    *("published_table", "published_method", "published_mean", "published_std"),
    *("mean", "std", "worst", "values", "chance", "n_ok", "n_failed", "difference", "verdict", "reduced"),
]
"""Of the CSV file."""

BASELINES = (
    "Baselines, measured and in parentheses measured minus published, which is the paper's own method:"
)
MARK = f"{REDUCED}: run at less than the paper's size, so the number says nothing of the method."


@dataclass(frozen=True)
class Reproduced:
    """An experiment with its table (see :func:`pdgmm.report.seed_summaries.results_frame`), None where it did not run.

    ``missing`` are the methods that did not run on all of its datasets.
    """

    name: str
    title: str
    note: str
    table: pd.DataFrame | None
    missing: Sequence[str] = field(default_factory=list)


def reproduction_frame(tables: Sequence[pd.DataFrame], papers: Path = PAPERS) -> pd.DataFrame:
    """Every measured mean that has a published one, once, in the order of the tables."""
    parts = [_compared(table) for table in without_repetitions([labelled(table, papers) for table in tables])]
    return pd.concat(parts, ignore_index=True)[COLUMNS] if parts else pd.DataFrame(columns=COLUMNS)


def reproduction_markdown(
    experiments: Sequence[Reproduced], command: str, picture: str = "", last: str = "", papers: Path = PAPERS
) -> str:
    """The counts of agreement, then every experiment; ``command`` is what wrote the document.

    ``picture`` is the file of the picture beside it, if there is one, and ``last`` a sentence on the whole study, for
    the end.
    """
    finished = [experiment.table for experiment in experiments if experiment.table is not None]
    new = iter(without_repetitions([labelled(table, papers) for table in finished]))
    parts = [
        "# The published tables, reproduced",
        f"Written by `{command}` from the tables of the study, never by hand.",
        agreement_markdown(agreement(finished), papers).strip() if finished else "No experiment has run yet.",
        *([CAPTION, f"![{WORDS}]({picture})"] if picture else []),
    ]
    for experiment in experiments:
        parts += [f"## {experiment.title}", *([experiment.note] if experiment.note else [])]
        parts += ["Not run yet."] if experiment.table is None else _section(experiment, next(new), papers)
    parts += ["## Time", last] if last else []
    return "\n\n".join(parts) + "\n"


def labelled(table: pd.DataFrame, papers: Path = PAPERS) -> pd.DataFrame:
    """The rows with their ``setting`` in words."""
    settings = [row_settings(row) for row in table.to_dict("records")]
    names = table["published_table"].dropna()
    different = list({canonical_json(setting): setting for setting in settings}.values())
    base = PublishedTable(names.iloc[0], papers).base if len(names) else usual_values(different)
    return table.assign(setting=setting_labels(settings, base))


def _compared(table: pd.DataFrame) -> pd.DataFrame:
    # A split without samples leaves a row in which nothing was measured and nothing failed.
    return table[table["published_mean"].notna() & (table["n_ok"] + table["n_failed"] > 0)]


def _section(experiment: Reproduced, rows: pd.DataFrame, papers: Path) -> list[str]:
    """The experiment without what an earlier one has: sizes, compared values, sentences on them, and the rest."""
    file = f"{experiment.name}.csv"
    link = f"[{file}](reproduction/{file})"
    parts = []
    if experiment.missing:
        names = ", ".join(f"`{method}`" for method in experiment.missing)
        parts.append(f"Not run yet, or not on all of the datasets: {names}.")
    if not len(rows):
        return [*parts, f"An earlier table has all of this; the values are in {link}."]
    parts.append(_sizes(rows))
    if len(rows) < len(experiment.table):
        parts.append(f"What an earlier table has is left out; {link} has everything.")
    compared = _compared(rows)
    shown = compared[compared["role"].isin(("paper", "ours")) | is_told_the_truth(compared)]
    if len(shown):
        parts.append(_table([_compared_cells(row, papers) for row in shown.to_dict("records")]))
    if sentences := disagreements(shown.to_dict("records"), papers):
        parts.append("\n".join(f"- {sentence}" for sentence in sentences))
    if len(baselines := _baselines(compared)):
        lines = _pivoted(baselines, ("setting", "measure", "published"), "method", _baseline_cells)
        parts += [BASELINES, lines, *([MARK] if REDUCED in lines else [])]
    if len(rest := _unpublished(rows)):
        lines = _pivoted(rest, ("setting", "method", "seeds"), "measure", _measured_cells)
        parts += [
            "Measured, with nothing published to hold against it:",
            lines,
            *([MARK] if REDUCED in lines else []),
        ]
    return parts


def _sizes(rows: pd.DataFrame) -> str:
    """Seeds and samples in a sentence, and a line for every size of a method."""
    counted = [
        _range(rows["n_ok"] + rows["n_failed"], "seed"),
        _range(rows["train_samples"], "training sample"),
    ]
    sizes: dict[str, dict[str, None]] = {}
    for row in rows[rows["role"].ne(REFERENCE)].to_dict("records"):
        # What is reduced says both sizes, the one that was run and the paper's.
        size = f"less than the paper's, {row['reduced']}" if known(row["reduced"]) else known(row["size"])
        sizes.setdefault(row["method"], {})[size or "nothing to choose"] = None
    together: dict[str, list[str]] = {}
    for method, its in sizes.items():
        together.setdefault(" or ".join(its), []).append(f"`{method}`")
    lines = [f"- {', '.join(methods)}: {size}." for size, methods in together.items()]
    return f"{', '.join(filter(None, counted))}. Sizes:\n\n" + "\n".join(lines)


def _range(numbers: pd.Series, thing: str) -> str:
    numbers = numbers[numbers > 0].astype(int)
    if numbers.empty:
        return ""
    words = f"{numbers.min():,}" if numbers.nunique() == 1 else f"{numbers.min():,} to {numbers.max():,}"
    return f"{words} {thing}{'' if numbers.max() == 1 else 's'}"


def _baselines(compared: pd.DataFrame) -> pd.DataFrame:
    """The rows of methods that are neither the paper's nor ours, nor told the truth.

    R² of the paper's stage 2, which has no published value of its own, is none of them.
    """
    rows = compared[~is_told_the_truth(compared)]
    others = set(rows.loc[rows["role"].ne("baseline"), "method"])
    # A cost has no difference: published ones are of another machine.
    comparable = rows["difference"].notna() | rows["mean"].isna()
    return rows[rows["role"].eq("baseline") & ~rows["method"].isin(others) & comparable]


def _unpublished(rows: pd.DataFrame) -> pd.DataFrame:
    """What was measured and has no published value; the affine score of other splits says little beside the first."""
    aside = rows["metric"].eq("r2") & rows["split"].ne(MAIN)
    return rows[rows["published_mean"].isna() & (rows["n_ok"] + rows["n_failed"] > 0) & ~aside]


def _compared_cells(row: Mapping[str, Any], papers: Path) -> dict[str, str]:
    measure, published = measure_named(row["split"], row["metric"]), published_of(row, papers)
    if pd.isna(row["mean"]):
        verdict = "failed"
    elif published.metric.only_beside:
        verdict = f"published {published.metric.only_beside}"
    else:
        verdict = "at reduced size" if known(row["reduced"]) else str(row["verdict"])
    return {
        "setting": row["setting"],
        "method": _method(row),
        "measure": measure.title,
        "published": published_text(published, measure),
        "measured": _measured(row),
        "worst seed": ABSENT if pd.isna(row["worst"]) else measure.write(row["worst"]),
        "chance": ABSENT if pd.isna(row["chance"]) else measure.write(row["chance"]),
        "seeds": _seeds(row),
        "difference": ABSENT if pd.isna(row["difference"]) else difference(row["difference"]),
        "verdict": verdict,
    }


def _baseline_cells(row: Mapping[str, Any]) -> dict[str, str]:
    gap = "" if pd.isna(row["mean"]) else f" ({difference(row['difference'])})"
    return {
        "setting": row["setting"],
        "measure": measure_named(row["split"], row["metric"]).title,
        "published": f"{row['published_mean']:.2f}",
        "method": f"`{row['method']}`",
        "value": f"{_measured(row)}{gap}{REDUCED if known(row['reduced']) else ''}",
    }


def _measured_cells(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "setting": row["setting"],
        "method": _method(row) + (REDUCED if known(row["reduced"]) else ""),
        "measure": measure_named(row["split"], row["metric"]).title,
        "seeds": str(int(row["n_ok"]) + int(row["n_failed"])),
        "value": _measured(row),
    }


def _pivoted(rows: pd.DataFrame, index: Sequence[str], across: str, cells: Any) -> str:
    """A line for every different ``index`` and a column for every value of ``across``, as they first come."""
    frame = pd.DataFrame([cells(row) for row in rows.to_dict("records")])
    wide = frame.drop_duplicates([*index, across]).pivot(index=list(index), columns=across, values="value")
    lines, columns = (
        list(dict.fromkeys(zip(*(frame[name] for name in index), strict=True))),
        frame[across].unique(),
    )
    return _table(wide.reindex(index=lines, columns=columns).fillna(ABSENT).reset_index())


def _table(cells: Any) -> str:
    """The cells as Markdown, without columns of which nothing is known: earlier tables lack the newer ones."""
    frame = pd.DataFrame(cells)
    return markdown_table(
        frame.loc[:, ~(frame.eq(ABSENT).all() & frame.columns.isin(["worst seed", "chance"]))]
    )


def _method(row: Mapping[str, Any]) -> str:
    return f"`{row['method']}`" + (f" (told {row['told']})" if known(row["told"]) else "")


def _measured(row: Mapping[str, Any]) -> str:
    if pd.isna(row["mean"]):
        return f"failed ({int(row['n_failed'])} of {int(row['n_ok']) + int(row['n_failed'])})"
    return measure_named(row["split"], row["metric"]).write(row["mean"], known(row["std"]))


def _seeds(row: Mapping[str, Any]) -> str:
    total = int(row["n_ok"]) + int(row["n_failed"])
    return f"{int(row['n_ok'])} of {total}" if row["n_failed"] else str(total)
