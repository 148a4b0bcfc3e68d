"""Every relative link between documents, and every anchor in one, has a target."""

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import markdown
import pytest
from markdown_files import ROOT, markdown_files, name
from mkdocs.utils.yaml import yaml_load
from pymdownx.slugs import slugify

WRITTEN = yaml_load((ROOT / "mkdocs.yml").read_text())["extra"]["written_by"]
"""Pages that a command writes; the site has a page in their place until it did."""


class Targets(HTMLParser):
    """Collects what a page links to and what can be linked to in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("href", "src"):
                self.links.append(value)
            elif key == "id":
                self.anchors.add(value)


@cache
def targets(path: Path) -> Targets:
    extensions = ["fenced_code", "tables", "toc"]
    slugs = {"toc": {"slugify": slugify(case="lower")}}
    return Targets(markdown.markdown(path.read_text(), extensions=extensions, extension_configs=slugs))


def broken_links(path: Path) -> Iterator[str]:
    for link in targets(path).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if target.parent == ROOT / "docs" and target.name in WRITTEN and not target.exists():
            continue
        if not target.exists() or (parts.fragment and parts.fragment not in targets(target).anchors):
            yield link


@pytest.mark.parametrize("path", markdown_files(), ids=name)
def test_every_relative_link_has_a_target(path):
    assert list(broken_links(path)) == []


def test_a_wrong_file_and_a_wrong_anchor_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Two words\n\n[a](page.md#two-words) [b](#two-words) [c](#three) [d](none.md) ![e](none.svg)\n"
        "[f](https://example.org/none)\n\n```\n[g](in-code.md)\n```\n"
    )
    assert list(broken_links(page)) == ["#three", "none.md", "none.svg"]
