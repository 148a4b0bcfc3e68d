"""The counts of agreement for readers: Markdown and HTML."""

from html import escape

import pandas as pd
from matplotlib.figure import Figure

from pdgmm.report.agreement import ALL_REDUCED, COLUMNS, EXPLANATION, papers_all_reduced
from pdgmm.report.figure_files import figure_bytes, image_address
from pdgmm.report.html import page, prose
from pdgmm.report.published import CITATION
from pdgmm.report.reproduction_figure import CAPTION, WORDS

TITLE = "Agreement with the paper"

GROUPS = {"": 2, "the paper's methods": 4, "our methods": 3, "oracle and true latents": 3, "fits": 2}
"""The heads above the columns, and how many columns each stands above."""


def agreement_markdown(counts: pd.DataFrame) -> str:
    """A heading, the explanation, and the table."""
    groups = [group for group, width in GROUPS.items() for _ in range(width)]
    heads = [
        f"{group}: {word}" if group else word for group, word in zip(groups, COLUMNS.values(), strict=True)
    ]
    lines = [heads, ["---"] * len(heads), *_cells(counts)]
    rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    parts = [f"## {TITLE}", *_sentences(counts), rows, f"Published values: {CITATION}."]
    return "\n\n".join(parts) + "\n"


def agreement_html(counts: pd.DataFrame, compared: Figure | None = None) -> str:
    """One page with the table and a picture of the values behind it (:mod:`pdgmm.report.reproduction_figure`)."""
    groups = "".join(f'<th colspan="{width}">{escape(name)}</th>' for name, width in GROUPS.items())
    heads = "".join(f'<th scope="col">{escape(word)}</th>' for word in COLUMNS.values())
    body = "\n".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in _cells(counts)
    )
    return page(
        TITLE,
        [
            *(f"<p>{prose(sentence)}</p>" for sentence in _sentences(counts)),
            f'<div class="wide"><table><thead><tr>{groups}</tr><tr>{heads}</tr></thead>',
            f"<tbody>\n{body}\n</tbody></table></div>",
            *([_picture(compared)] if compared else []),
            f"<footer><p>Published values: {escape(CITATION)}.</p></footer>",
        ],
    )


def _picture(compared: Figure) -> str:
    address = image_address("svg", figure_bytes(compared, "svg"))
    return f'<p>{escape(CAPTION)}</p>\n<img alt="{escape(WORDS)}" src="{address}">'


def _sentences(counts: pd.DataFrame) -> list[str]:
    return [EXPLANATION, *([ALL_REDUCED] if papers_all_reduced(counts) else [])]


def _cells(counts: pd.DataFrame) -> list[list[str]]:
    return [[str(value) for value in row] for row in counts[list(COLUMNS)].itertuples(index=False)]
