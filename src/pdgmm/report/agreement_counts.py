"""How well a whole study agrees with the papers, counted from the tables of its experiments."""

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
"""The counts by name, each with its heading for readers: the group of columns, and the column within the group."""

EXPLANATION = (
    "A cell is one measure of one method in one setting that has a published value. Baselines are not counted. The "
    "paper's methods are compared with their own published values; runs that are smaller than the paper's are "
    "counted separately and not judged. A shorter training of the paper's widths is judged if an experiment "
    "compared it with the whole one and it did not score lower; its size then says: in place of the paper's size. "
    "Our methods are compared with the paper's own method. A method that is told part of the truth is compared with"
    " the published method that is told the same, and a graph found among the true latents with the published graph"
    " of the true latents. A cell that an earlier row already counts is not counted again. Fits that several "
    "experiments share are counted in each of them, and once in the last row. "
    f"{RULE} ▲ and ▼ mark means that are better and worse than published."
)

ALL_REDUCED = (
    "In this study all of the paper's trained methods were run at a smaller size than in the paper. The table judges "
    "none of them: their differences from the published values say nothing about the methods. Shorter trainings also "
    "use other learning rates and similar settings; the study's config lists them."
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
    # Methods may be given part of the truth; the true latents are the whole truth.
    told = (compared["told"].notna() & compared["told"].ne("")) | compared["role"].eq(REFERENCE)
    # Every measure of a method in a setting has a row with the same fits: count the first row only.
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
