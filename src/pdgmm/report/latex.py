"""Tables as LaTeX, ready for ``\\input`` in a document that loads booktabs."""

import re
from collections.abc import Sequence

from pdgmm.report.grid import REDUCED, Cell, Column, Grid
from pdgmm.report.published import CITATION

COLUMNS_PER_BLOCK = 4
"""More methods than fit on a page's width go into a second block below the first."""

_CHARACTERS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    "°": r"$^\circ$",
    "²": r"$^2$",
    "†": r"$^\dagger$",
    "ρ": r"$\rho$",
    "δ": r"$\delta$",
    "θ": r"$\theta$",
}
_LAST_LATIN = 0x17F


def render_latex(grids: Sequence[Grid]) -> str:
    """All tables, each a float with caption and label ``tab:<experiment>-<split>-<metric>``."""
    head = f"% \\usepackage{{booktabs}}\n% Published values: {CITATION}\n"
    return "\n".join([head, *map(_table, grids)])


def escape(text: str) -> str:
    """Text that LaTeX sets as it stands, in one line; what its usual fonts lack becomes a question mark."""
    return "".join(
        _CHARACTERS.get(character, character if ord(character) <= _LAST_LATIN else "?")
        for character in " ".join(text.split())
    )


def _table(grid: Grid) -> str:
    note = [grid.note] if grid.note else []
    caption = [f"{grid.title}: {grid.measure.title}.", *note, *grid.caption]
    sizes = [f"{column.method}, {column.size}" for column in grid.columns if column.size]
    caption += [f"Sizes: {'; '.join(sizes)}."] if sizes else []
    caption += [f"Failed runs: {'; '.join(grid.failures)}."] if grid.failures else []
    label = re.sub(r"[^A-Za-z0-9]+", "-", f"{grid.experiment}-{grid.measure.split}-{grid.measure.metric}")
    starts = range(0, len(grid.columns), COLUMNS_PER_BLOCK)
    blocks = [_block(grid, slice(start, start + COLUMNS_PER_BLOCK)) for start in starts]
    return "\n".join(
        [
            r"\begin{table}[tbp]",
            r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
            f"\\caption{{{escape(' '.join(caption))}}}",
            f"\\label{{tab:{label}}}",
            "\n\n\\medskip\n".join(blocks),
            r"\end{table}",
            "",
        ]
    )


def _block(grid: Grid, part: slice) -> str:
    """Some of the columns, with the settings and the published column in front."""
    columns = grid.columns[part]
    lines = [
        f"\\begin{{tabular}}{{l{'c' * (len(columns) + bool(grid.paper))}}}",
        r"\toprule",
        *_head(grid.paper, columns),
        r"\midrule",
    ]
    paper = bool(grid.paper)
    rows = [_rows(row.setting, [row.paper] if paper else [], row.cells[part]) for row in grid.rows]
    spaced = any(len(row) > 1 for row in rows)
    body = ("\n\\addlinespace[2pt]\n" if spaced else "\n").join("\n".join(row) for row in rows)
    return "\n".join([*lines, body, r"\bottomrule", r"\end{tabular}"])


def _head(paper: str, columns: Sequence[Column]) -> list[str]:
    """A line for each stage's name, so that columns stay narrow, and one for what they are compared with."""
    stages = [column.method.partition("+") for column in columns]
    lines = [
        ["setting", *(["paper"] if paper else []), *(_code(first) for first, _, _ in stages)],
        ["", *([escape(paper)] if paper else []), *(_code(plus + second) for _, plus, second in stages)],
    ]
    if any(column.against for column in columns):
        lines.append(["", *([""] if paper else []), *(_small(_against(column)) for column in columns)])
    return [_line(line) for line in lines]


def _code(text: str) -> str:
    return rf"\texttt{{{escape(text)}}}" if text else ""


def _against(column: Column) -> str:
    return f"vs {column.against}" if column.against else ""


def _rows(setting: str, paper: list[str], cells: Sequence[Cell]) -> list[str]:
    """A line with the measured values and, where there is something to add, one below it."""
    first = _line([escape(setting), *map(escape, paper), *map(_measured, cells)])
    below = [_small(_below(cell)) for cell in cells]
    return [first, _line(["", *("" for _ in paper), *below])] if any(below) else [first]


def _measured(cell: Cell) -> str:
    return rf"\textbf{{{escape(cell.measured)}}}" if cell.best else escape(cell.measured)


def _below(cell: Cell) -> str:
    mark = REDUCED if cell.reduced else ""
    paper = f"({cell.paper}, {cell.difference}{mark})" if cell.paper else ""
    return " ".join(part for part in (cell.failed, paper) if part)


def _small(text: str) -> str:
    return rf"{{\scriptsize {escape(text)}}}" if text else ""


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
