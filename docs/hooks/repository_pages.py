"""Files outside docs/ that pages link to become pages of the site: no link leaves it, and nothing is written twice.

``../config/README.md`` becomes the page ``repository/config/README.md``; ``../src/pdgmm/cli.py`` is shown as code, on
the page ``code/src/pdgmm/cli.py.md``.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

LINK = re.compile(r"(?<=\]\()(?P<path>[^)\s#:]+)(?P<anchor>#[^)\s]*)?(?=\))")
"""The target of an inline link or image that is a path, not an address."""

PAGES = "repository/"
CODE_PAGES = "code/"
DOCS = "docs/"
MARKDOWN = ".md"

CODE_PAGE = "---\nsearch:\n  exclude: true\n---\n\n# {path}\n\n~~~~~~~~ {language}\n{code}\n~~~~~~~~\n"
LANGUAGES = {".py": "python", ".yaml": "yaml", ".json": "json", ".sh": "bash"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every file of the repository that the navigation or a page names, and those they name."""
    root = Path(config.config_file_path).parent
    waiting = [uri.removeprefix(PAGES) for uri in _nav_pages(config.nav) if uri.startswith(PAGES)]
    for page in files.documentation_pages():
        waiting += _outside(page.content_string, _path(page.src_uri))
    while waiting:
        path = waiting.pop()
        uri = _uri(path)
        known = files.get_file_from_path(uri) is not None
        if known or path.startswith("..") or not (root / path).is_file():
            continue
        text = (root / path).read_text(encoding="utf-8")
        if path.endswith(MARKDOWN):
            waiting += _outside(text, path)
        else:
            text = CODE_PAGE.format(path=path, language=LANGUAGES.get(Path(path).suffix, "text"), code=text)
        # The navigation names some of these pages, and need not name the others.
        files.append(File.generated(config, uri, content=text, inclusion=InclusionLevel.NOT_IN_NAV))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **event: object) -> str:
    """Let the links of a page point to where their targets are on the site."""
    here = page.file.src_uri
    if here.startswith(CODE_PAGES):
        return markdown

    def moved(link: re.Match[str]) -> str:
        uri = _uri(_target(link["path"], _path(here)))
        if files.get_file_from_path(uri) is None:
            return link[0]
        return posixpath.relpath(uri, posixpath.dirname(here) or ".") + (link["anchor"] or "")

    return LINK.sub(moved, markdown)


def _outside(text: str, source: str) -> Iterator[str]:
    """The paths outside docs/ that the text of the file ``source`` links to."""
    targets = (_target(link["path"], source) for link in LINK.finditer(text))
    return (target for target in targets if not target.startswith(DOCS))


def _target(link: str, source: str) -> str:
    """The path in the repository that a link in the file ``source`` means."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def _uri(path: str) -> str:
    """Where a file of the repository stands on the site."""
    if path.startswith(DOCS):
        return path.removeprefix(DOCS)
    return f"{PAGES}{path}" if path.endswith(MARKDOWN) else f"{CODE_PAGES}{path}{MARKDOWN}"


def _path(uri: str) -> str:
    """The Markdown file of the repository that a page of the site shows."""
    return uri.removeprefix(PAGES) if uri.startswith(PAGES) else f"{DOCS}{uri}"


def _nav_pages(entry: Any) -> Iterator[str]:
    """Every page that the navigation names, however deep."""
    if isinstance(entry, str):
        yield entry
    else:
        for below in entry.values() if isinstance(entry, dict) else entry:
            yield from _nav_pages(below)
