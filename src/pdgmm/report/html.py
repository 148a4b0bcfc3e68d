"""Tables as one HTML page that needs no other file."""

import re
from collections.abc import Sequence
from html import escape
from itertools import groupby

from pdgmm.report.grid import REDUCED, Cell, Column, Grid
from pdgmm.report.published import CITATION
from pdgmm.report.verdict import RULE

# Blue and orange can be told apart with any colour vision; the arrow says the same without colour.
_STYLE = """
:root { color-scheme: light dark; --text: #1c2430; --soft: #5b6675; --line: #d6dbe2; --page: #ffffff;
  --head: #f3f5f8; --better: #0b5394; --better-page: #e8f1fa; --worse: #9a4a00; --worse-page: #fdf1e4; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ee; --soft: #9aa5b4; --line: #3a4350;
  --page: #161b22; --head: #202732; --better: #8fc1f2; --better-page: #17293d; --worse: #f0b27a;
  --worse-page: #38281a; } }
body { margin: 2rem auto; padding: 0 1.5rem; max-width: 90rem; color: var(--text); background: var(--page);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .3rem; }
p { margin: .3rem 0 .7rem; max-width: 60rem; } p, li { color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .8rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap;
  vertical-align: top; }
thead th { background: var(--head); border-bottom: 2px solid var(--line); vertical-align: bottom; }
thead th .size { white-space: normal; display: block; max-width: 12rem; margin-left: auto; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--page); }
thead th:first-child { background: var(--head); }
tbody th { font-weight: 600; } tbody tr:hover td, tbody tr:hover th { background: var(--head); }
small { display: block; color: var(--soft); font-weight: 400; font-size: .8rem; }
td.paper { color: var(--soft); border-right: 1px solid var(--line); }
td.better { background: var(--better-page); } td.better .difference { color: var(--better); }
td.worse { background: var(--worse-page); } td.worse .difference { color: var(--worse); }
td.failed { color: var(--worse); font-style: italic; } td[title] { cursor: help; }
img { max-width: 100%; background: white; }
td .count { color: var(--worse); font-style: italic; } code { font-size: .88em; }
"""

_ARROWS = {"better": "▲ ", "worse": "▼ ", "agrees": "", None: ""}


def render_html(grids: Sequence[Grid], title: str = "Results") -> str:
    """All tables on one page, with its style inside."""
    parts = []
    for (_, heading), tables in groupby(grids, key=lambda grid: (grid.experiment, grid.title)):
        shown = list(tables)
        parts.append(f"<section><h2>{escape(heading)}</h2>")
        parts += [f"<p>{prose(shown[0].note)}</p>"] if shown[0].note else []
        parts += map(_table, shown)
        parts.append("</section>")
    if any(grid.paper for grid in grids):
        parts.append(
            f"<footer><p>▲ better and ▼ worse than the published value. {escape(RULE)} "
            f"Published values: {escape(CITATION)}.</p></footer>"
        )
    return page(title, parts)


def page(title: str, parts: Sequence[str]) -> str:
    """A whole page with the style of all our pages, from the HTML of its parts."""
    head = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
    ]
    return "\n".join([*head, *parts, "</body></html>", ""])


def prose(text: str) -> str:
    """Sentences in which, as in Markdown, `code` stands between backticks."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _table(grid: Grid) -> str:
    paper = f'<th scope="col">paper<small>{escape(grid.paper)}</small></th>' if grid.paper else ""
    head = f'<th scope="col">setting</th>{paper}{"".join(map(_head, grid.columns))}'
    body = []
    for row in grid.rows:
        published = f'<td class="paper">{escape(row.paper)}</td>' if grid.paper else ""
        cells = "".join(map(_cell, row.cells))
        body.append(f'<tr><th scope="row">{escape(row.setting)}</th>{published}{cells}</tr>')
    lines = [
        f"<h3>{escape(grid.measure.title)}</h3>",
        f"<p>{escape(' '.join(grid.caption))}</p>",
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>',
        "<tbody>",
        *body,
        "</tbody></table></div>",
    ]
    if grid.failures:
        items = "".join(f"<li>{escape(line)}</li>" for line in grid.failures)
        lines.append(
            f"<details><summary>Failed runs and their reasons ({len(grid.failures)})</summary>"
            f"<ul>{items}</ul></details>"
        )
    return "\n".join(lines)


def _head(column: Column) -> str:
    against = f"<small>vs {escape(column.against)}</small>" if column.against else ""
    size = f'<small class="size">{escape(column.size)}</small>' if column.size else ""
    # A long name may break before its second stage and nowhere else.
    method = escape(column.method).replace("+", "<wbr>+")
    return f'<th scope="col"><code>{method}</code>{size}{against}</th>'


def _cell(cell: Cell) -> str:
    kind = "failed" if cell.all_failed else cell.verdict or ""
    measured = escape(cell.measured)
    lines = [f"<strong>{measured}</strong>" if cell.best else measured]
    if cell.failed:
        lines.append(f'<small class="count">{escape(cell.failed)}</small>')
    if cell.paper:
        mark = REDUCED if cell.reduced else ""
        gap = f'<span class="difference">{_ARROWS[cell.verdict]}{escape(cell.difference)}{mark}</span>'
        lines.append(f"<small>(paper {escape(cell.paper)}, {gap})</small>")
    tooltip = f' title="{escape(cell.detail)}"' if cell.detail else ""
    return f'<td class="{kind}"{tooltip}>{"".join(lines)}</td>'
