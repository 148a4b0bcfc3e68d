"""Long references are folded: a page shows what there is, a click the rest. Browsers open it for a search as well."""

import re

from mkdocs.structure.pages import Page

FOLDED = {
    r"repository/config/README\.md": re.compile(
        r"(?P<summary><h2(?:(?!</h2>).)*</h2>)(?P<rest>(?:(?!<h2).)*)",
        re.DOTALL,
    ),
    r"commands\.md": re.compile(
        r'(?P<rest><div class="highlight"><pre><span></span><code>(?P<summary>Usage: pdgmm (?!fit)[a-z][^\n]*)'
        r".*?</pre></div>)",
        re.DOTALL,
    ),
    r"reproduction/\w+\.md": re.compile(
        r"(?P<summary><h3(?:(?!</h3>).)*</h3>)(?P<rest>(?:(?!<h3).)*</table>)", re.DOTALL
    ),
}
"""By page what becomes ``<details>``: the keys of each part of a config; the help of all commands but ``pdgmm fit``;
the tables of an experiment."""

SHOWN = {r"reproduction/\w+\.md": 1}
"""By page how many of them, from the first on, stay open."""


def on_page_content(content: str, page: Page, **event: object) -> str:
    """Fold what a page has of it: the line of the summary stays."""
    for name, pattern in FOLDED.items():
        if re.fullmatch(name, page.file.src_uri):
            shown = list(pattern.finditer(content))[: SHOWN.get(name, 0)]
            begin = shown[-1].end() if shown else 0
            folded = r"<details><summary>\g<summary></summary>\g<rest></details>"
            return content[:begin] + pattern.sub(folded, content[begin:])
    return content
