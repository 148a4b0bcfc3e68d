"""Long references are folded: a page shows what there is, a click the rest. Browsers open it for a search as well."""

import re

from mkdocs.structure.pages import Page

FOLDED = {
    "repository/config/README.md": re.compile(
        r"<p>(?P<summary>(?:(?!</p>).)*)</p>\s*(?P<rest><table>.*?</table>)", re.DOTALL
    ),
    "commands.md": re.compile(
        r'(?P<rest><div class="highlight"><pre><span></span><code>(?P<summary>Usage: pdgmm step \S[^\n]*)'
        r".*?</pre></div>)",
        re.DOTALL,
    ),
}
"""By page what becomes ``<details>``: the settings of a method or generator; the help of a step of the workflow."""


def on_page_content(content: str, page: Page, **event: object) -> str:
    """Fold what a page has of it: the line of the summary stays."""
    pattern = FOLDED.get(page.file.src_uri)
    folded = r"<details><summary>\g<summary></summary>\g<rest></details>"
    return content if pattern is None else pattern.sub(folded, content)
