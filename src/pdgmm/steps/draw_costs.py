"""Draw the training times in an experiment's table."""

from pathlib import Path

from pdgmm.report.cost_figure import draw_costs
from pdgmm.report.figure_files import save_figures
from pdgmm.report.table_files import read_table


def draw_cost_table(table: Path, title: str, stem: Path) -> None:
    """Draw the training times of ``table`` (CSV) into ``<stem>.svg`` and ``<stem>.png``."""
    save_figures(draw_costs(title, read_table(table)), stem)
