"""Count how many values in a study's tables agree with the papers."""

from collections.abc import Sequence
from pathlib import Path

from pdgmm.report.agreement_counts import agreement, render_agreement
from pdgmm.report.figure_files import save_figure
from pdgmm.report.headline_figure import draw_headline
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.reproduction_figure import draw_reproduction, reproduction_frame
from pdgmm.report.seed_summaries import read_table
from pdgmm.store.atomic import write_text


def summarise_tables(tables: Sequence[Path], stem: Path, papers: Path = PAPERS) -> None:
    """Write ``<stem>.csv``, ``.md`` and ``.html`` with the counts over all ``tables`` (CSV), and a picture."""
    measured = [read_table(table) for table in tables]
    counts = agreement(measured)
    texts = {
        "csv": counts.to_csv(index=False, lineterminator="\n"),
        "md": render_agreement(counts, "md", papers=papers),
        "html": render_agreement(counts, "html", draw_reproduction(reproduction_frame(measured)), papers),
    }
    for ending, text in texts.items():
        write_text(stem.with_name(f"{stem.name}.{ending}"), text)
    save_figure(draw_headline(measured), stem.with_name(f"{stem.name}.svg"))
