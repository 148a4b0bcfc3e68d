"""Long references are folded: a page shows what there is, a click the rest. Browsers open it for a search as well."""

import re

from mkdocs.structure.pages import Page

FOLDED = {
    r"repository/config/README\.md": re.compile(
        r"<p>(?P<summary>(?:(?!</p>).)*)</p>\s*(?P<rest><table>.*?</table>)", re.DOTALL
    ),
    r"commands\.md": re.compile(
        r'(?P<rest><div class="highlight"><pre><span></span><code>(?P<summary>Usage: pdgmm step \S[^\n]*)'
        r".*?</pre></div>)",
        re.DOTALL,
    ),
    # All tables of an experiment but the first, which a heading of the same kind comes before.
    r"reproduction/\w+\.md": re.compile(
        r"(?<=</table>)\s*(?P<summary><h3(?:(?!</h3>).)*</h3>)(?P<rest>(?:(?!<h3).)*</table>)", re.DOTALL
    ),
}
"""By page what becomes ``<details>``: the settings of a method or generator; the help of a step of the workflow; the
further tables of an experiment."""


def on_page_content(content: str, page: Page, **event: object) -> str:
    """Fold what a page has of it: the line of the summary stays."""
    folded = r"<details><summary>\g<summary></summary>\g<rest></details>"
    for name, pattern in FOLDED.items():
        if re.fullmatch(name, page.file.src_uri):
            return pattern.sub(folded, content)
    return content
