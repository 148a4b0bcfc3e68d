"""Long references are folded: a page shows what there is, a click the rest. Browsers open it for a search as well."""

import re

from mkdocs.structure.pages import Page

FOLDED = {
    "repository/config/README.md": re.compile(r"<table>.*?</table>", re.DOTALL),
    "commands.md": re.compile(
        r'<div class="highlight"><pre><span></span><code>Usage: pdgmm step \S.*?</pre></div>', re.DOTALL
    ),
}
"""By page what becomes ``<details>``: the settings of a method or generator; the help of a step of the workflow."""


def on_page_content(content: str, page: Page, **event: object) -> str:
    """Fold what a page has of it."""
    pattern = FOLDED.get(page.file.src_uri)
    return content if pattern is None else pattern.sub(_folded, content)


def _folded(found: re.Match[str]) -> str:
    rows = found[0].count("<tr>") - 1
    summary = "help" if rows < 0 else "1 key" if rows == 1 else f"{rows} keys"
    return f"<details><summary>{summary}</summary>{found[0]}</details>"
