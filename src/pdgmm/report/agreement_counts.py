"""How a whole study agrees with papers, counted from the tables of its experiments."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from pdgmm.report.comparison import RULE
from pdgmm.report.figure_files import figure_bytes, image_address
from pdgmm.report.papers.paper_files import PAPERS, read_paper
from pdgmm.report.reproduction_figure import CAPTION, WORDS
from pdgmm.report.seed_summaries import row_keys, unrepeated
from pdgmm.report.table_columns import REFERENCE
from pdgmm.report.templates.rendering import template

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
    compared = unrepeated([table[table["difference"].notna()] for table in tables])
    rows = [
        _counts(str(table["experiment"].iloc[0]), cells, table)
        for table, cells in zip(tables, compared, strict=True)
    ]
    rows.append(_counts("all", pd.concat(compared), pd.concat(tables)))
    return pd.DataFrame(rows, columns=list(HEADS))


def render_agreement(
    counts: pd.DataFrame, form: str, compared: Figure | None = None, papers: Path = PAPERS
) -> str:
    """The explanation and the table, as ``md`` or as a page (``html``) with a picture of the values behind it."""
    total = counts.iloc[-1]
    judged = any(total[f"paper_{verdict}"] for verdict in VERDICTS)
    table = counts.set_index("experiment")[list(HEADS)[1:]]
    table.columns = pd.MultiIndex.from_tuples(list(HEADS.values())[1:])
    return template(f"agreement.{form}").render(
        heading="Agreement with the paper",
        sentences=[EXPLANATION, *([ALL_REDUCED] if total["paper_reduced"] and not judged else [])],
        heads=HEADS.values(),
        rows=counts[list(HEADS)].to_numpy().tolist(),
        table=table.to_html(border=0, index_names=False),
        picture=image_address("svg", figure_bytes(compared, "svg")) if compared else "",
        caption=CAPTION,
        words=WORDS,
        citations=cited_papers(counts, papers),
    )


def cited_papers(counts: pd.DataFrame, papers: Path = PAPERS) -> dict[str, str]:
    """The citation of every paper that the counts are about, by its key."""
    keys = [part.split(" ")[0] for part in counts.iloc[-1]["published_tables"].split("; ") if part]
    return {key: read_paper(key, papers)[0].citation for key in keys}


def _counts(name: str, compared: pd.DataFrame, measured: pd.DataFrame) -> dict[str, object]:
    # A method is told a part of the truth, and the true latents are all of it.
    told = (compared["told"].notna() & compared["told"].ne("")) | compared["role"].eq(REFERENCE)
    # Of every method and setting the first row counts its fits as all others do.
    fits = measured[~row_keys(measured, "size").duplicated() & measured["role"].ne(REFERENCE)]
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
