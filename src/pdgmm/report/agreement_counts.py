"""How a whole study agrees with papers, counted from the tables of its experiments."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from pdgmm.report.comparison import RULE
from pdgmm.report.figure_files import figure_bytes, image_address
from pdgmm.report.html import page, prose
from pdgmm.report.papers.paper_files import PAPERS, read_paper
from pdgmm.report.records import REFERENCE
from pdgmm.report.rendering import markdown_table
from pdgmm.report.reproduction_figure import CAPTION, WORDS
from pdgmm.report.table_files import fit_key, known

VERDICTS = {"agrees": "agree", "better": "better", "worse": "worse"}

HEADS = {
    "experiment": ("", "experiment"),
    "published_tables": ("", "published tables"),
    **{f"paper_{verdict}": ("the paper's methods", word) for verdict, word in VERDICTS.items()},
    "paper_reduced": ("the paper's methods", "at reduced size"),
    **{f"ours_{verdict}": ("our methods", word) for verdict, word in VERDICTS.items()},
    **{f"told_{verdict}": ("told the truth", word) for verdict, word in VERDICTS.items()},
    "failed_fits": ("fits", "failed"),
    "fits": ("fits", "all"),
}
"""The counts by name, with the words for readers: a group of columns, and the column in it."""

TOTAL = "all"

TITLE = "Agreement with the paper"

EXPLANATION = (
    "A cell is one measure of one method in one setting that has a published value; baselines are not counted. The "
    "paper's methods are held against their own published values; a run at less than the paper's size is counted "
    "apart and not judged. Our methods are held against the paper's own method. A method that is told a part of the "
    "truth is held against the published one that is told it too, and graphs of the true latents against the "
    "published ones of true latents. Cells that an earlier row has are not counted again; fits that experiments "
    f"share are, except in the last row. {RULE} ▲ and ▼ mark means that are better and worse."
)

ALL_REDUCED = (
    "Every one of the paper's trained methods was run at less than the paper's size in this study, so the table "
    "judges none of them: their differences from the published values say nothing of the methods. Shorter trainings "
    "also have other learning rates and the like, which the study's config says."
)


def agreement(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """A row of counts for every table (see :func:`pdgmm.report.seed_summaries.results_frame`), and one for all."""
    compared = without_repetitions([table[table["difference"].notna()] for table in tables])
    fits = [_fits(table) for table in tables]
    rows = [
        _counts(str(table["experiment"].iloc[0]), cells, its)
        for table, cells, its in zip(tables, compared, fits, strict=True)
    ]
    total = _counts(TOTAL, pd.concat(compared), _fits(pd.concat(tables)))
    return pd.DataFrame([*rows, total], columns=list(HEADS))


def agreement_markdown(counts: pd.DataFrame, papers: Path = PAPERS) -> str:
    """A heading, the explanation, and the table."""
    heads = [": ".join(filter(None, head)) for head in HEADS.values()]
    table = markdown_table(counts[list(HEADS)].set_axis(heads, axis=1))
    return "\n\n".join([f"## {TITLE}", *_sentences(counts), table, *_citations(counts, papers)]) + "\n"


def agreement_html(counts: pd.DataFrame, compared: Figure | None = None, papers: Path = PAPERS) -> str:
    """One page with the table and a picture of the values behind it (:mod:`pdgmm.report.reproduction_figure`)."""
    table = counts.set_index("experiment")[list(HEADS)[1:]]
    table.columns = pd.MultiIndex.from_tuples(list(HEADS.values())[1:])
    picture = []
    if compared:
        address = image_address("svg", figure_bytes(compared, "svg"))
        picture = [f'<p>{escape(CAPTION)}</p>\n<img alt="{escape(WORDS)}" src="{address}">']
    return page(
        TITLE,
        [
            *(f"<p>{prose(sentence)}</p>" for sentence in _sentences(counts)),
            f'<div class="wide">{table.to_html(border=0, index_names=False)}</div>',
            *picture,
            *(f"<footer><p>{escape(sentence)}</p></footer>" for sentence in _citations(counts, papers)),
        ],
    )


def is_told_the_truth(rows: pd.DataFrame) -> pd.Series:
    """Which rows are of methods that are told a part of the truth, or of the true latents themselves."""
    return rows["told"].map(lambda words: bool(known(words))).astype(bool) | rows["role"].eq(REFERENCE)


def without_repetitions(tables: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """The tables without the rows that an earlier one has: the same fits, measure and published table.

    Where experiments share runs but one has more seeds, its row counts if it comes first.
    """
    seen: set[tuple[object, ...]] = set()
    kept = []
    for table in tables:
        measured = ("size", "split", "metric", "published_table")
        keys = [(*fit_key(row), *(known(row[name]) for name in measured)) for row in table.to_dict("records")]
        kept.append(table[pd.Series([key not in seen for key in keys], index=table.index, dtype=bool)])
        seen.update(keys)
    return kept


def _fits(table: pd.DataFrame) -> pd.DataFrame:
    """A row for every method and setting: the first one, which counts its fits as all others do."""
    keys = [(*fit_key(row), known(row["size"])) for row in table.to_dict("records")]
    repeated = pd.Series(keys, index=table.index, dtype=object).duplicated()
    return table[~repeated & table["role"].ne(REFERENCE)]


def _counts(name: str, compared: pd.DataFrame, fits: pd.DataFrame) -> dict[str, object]:
    told = is_told_the_truth(compared)
    groups = {
        "paper": compared[compared["role"].eq("paper") & ~told],
        "ours": compared[compared["role"].eq("ours") & ~told],
        "told": compared[told],
    }
    return {
        "experiment": name,
        "published_tables": _table_words(compared["published_table"]),
        **{
            f"{group}_{verdict}": int(rows["verdict"].eq(verdict).sum())
            for group, rows in groups.items()
            for verdict in VERDICTS
        },
        "paper_reduced": int(groups["paper"]["verdict"].isna().sum()),
        "failed_fits": int(fits["n_failed"].sum()),
        "fits": int((fits["n_failed"] + fits["n_ok"]).sum()),
    }


def _table_words(names: pd.Series) -> str:
    """``pdgmm 3, 4; kivva 1``."""
    papers: dict[str, set[str]] = {}
    for name in names.dropna():
        key, _, number = name.partition("/")
        papers.setdefault(key, set()).add(number)
    return "; ".join(
        f"{key} {', '.join(sorted(numbers, key=lambda number: (len(number), number)))}"
        for key, numbers in papers.items()
    )


def _sentences(counts: pd.DataFrame) -> list[str]:
    total = counts.iloc[-1]
    judged = any(total[f"paper_{verdict}"] for verdict in VERDICTS)
    return [EXPLANATION, *([ALL_REDUCED] if total["paper_reduced"] and not judged else [])]


def _citations(counts: pd.DataFrame, papers: Path) -> list[str]:
    keys = [part.split(" ")[0] for part in counts["published_tables"].iloc[-1].split("; ") if part]
    return [f"Published values of {key}: {read_paper(key, papers)[0].citation}." for key in keys]
