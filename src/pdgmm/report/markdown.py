"""Tables as Markdown."""

from collections.abc import Sequence
from itertools import groupby

from pdgmm.report.grid import REDUCED, Cell, Column, Grid
from pdgmm.report.published import CITATION


def render_markdown(grids: Sequence[Grid]) -> str:
    """All tables: a heading an experiment, a table a measure."""
    parts: list[str] = []
    for (_, title), tables in groupby(grids, key=lambda grid: (grid.experiment, grid.title)):
        shown = list(tables)
        parts.append(f"## {_escaped(title)}")
        parts += [_escaped(shown[0].note)] if shown[0].note else []
        parts += [part for grid in shown for part in _table(grid)]
    if any(grid.paper for grid in grids):
        parts.append(f"Published values: {CITATION}.")
    return "\n\n".join(parts) + "\n"


def _table(grid: Grid) -> list[str]:
    head = ["setting", *([f"paper<br>{grid.paper}"] if grid.paper else []), *map(_head, grid.columns)]
    lines = [_line(head), _line(["---"] * len(head))]
    for row in grid.rows:
        paper = [row.paper] if grid.paper else []
        lines.append(_line([_escaped(row.setting), *paper, *map(_cell, row.cells)]))
    parts = [f"### {grid.measure.title}", " ".join(map(_escaped, grid.caption)), "\n".join(lines)]
    if grid.failures:
        parts.append("Failed runs:\n\n" + "\n".join(f"- {_escaped(line)}" for line in grid.failures))
    return parts


def _head(column: Column) -> str:
    lines = [f"`{column.method}`", _escaped(column.size), f"vs {column.against}" if column.against else ""]
    return "<br>".join(line for line in lines if line)


def _cell(cell: Cell) -> str:
    measured = f"**{cell.measured}**" if cell.best else _escaped(cell.measured)
    failed = f" [{_escaped(cell.failed)}]" if cell.failed else ""
    mark = REDUCED if cell.reduced else ""
    paper = f" (paper {cell.paper}, {cell.difference}{mark})" if cell.paper else ""
    return measured + failed + paper


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """One line without the characters that Markdown would take for a cell's end, markup or HTML."""
    text = " ".join(text.split())
    for special in ("\\", "|", "*", "_", "`", "[", "]", "<", ">"):
        text = text.replace(special, "\\" + special)
    return text
