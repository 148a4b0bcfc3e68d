"""The site is built without a warning and without a network, and can be read without one."""

import json
import os
import posixpath
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_files import ROOT
from mkdocs.utils.yaml import yaml_load

from pdgmm.cli.main import cli

pytestmark = pytest.mark.slow

CONFIG = yaml_load((ROOT / "mkdocs.yml").read_text())

NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
"""Whoever asks for an address is sent to a port where nobody answers."""


def nav_pages(entry) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    below = entry.values() if isinstance(entry, dict) else entry
    return [page for item in below for page in nav_pages(item)]


NAV_PAGES = nav_pages(CONFIG["nav"])


def html_name(page: str) -> str:
    """Where a page is on the site: a README is the index of its folder."""
    folder, file = posixpath.split(page)
    return posixpath.join(folder, "index.html" if file == "README.md" else file.replace(".md", ".html"))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, **NO_NETWORK, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    return folder, done


@pytest.fixture(scope="module")
def site(built) -> Path:
    folder, done = built
    assert done.returncode == 0, done.stderr
    return folder


class Resources(HTMLParser):
    """Collects what a browser fetches to show a page."""

    FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        # The next and the previous page are named for the reader, not fetched.
        if values.get(self.FETCHED.get(tag)) and values.get("rel") not in ("next", "prev"):
            self.found.append(values[self.FETCHED[tag]])


def test_the_build_has_no_warning(built):
    _, done = built
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "WARNING" not in said
    assert "ERROR" not in said


def test_every_page_of_the_navigation_is_built_and_can_be_searched(site):
    entries = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    found = {entry["location"].partition("#")[0] for entry in entries}
    for page in map(html_name, NAV_PAGES):
        assert "<h1" in (site / page).read_text(), page
        assert page in found


def test_a_page_needs_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    fetched = [(page, address) for page in pages for address in Resources(page.read_text()).found]
    assert len(fetched) > len(pages)
    for page, address in fetched:
        parts = urlsplit(address)
        assert not parts.scheme, (page, address)
        assert not parts.netloc, (page, address)
        # The page for addresses that do not exist may be shown at any depth: its paths begin at the root.
        target = (
            site / parts.path.lstrip("/") if page.name == "404.html" else page.parent / unquote(parts.path)
        )
        assert target.is_file(), (page, address)
    for style in site.rglob("*.css"):
        assert not re.search(r"url\((?:https?:)?//|@import", style.read_text()), style


def test_commands_are_those_of_the_programs(site):
    text = (site / "commands.html").read_text()
    for name in cli.commands:
        assert f"Usage: pdgmm {name}" in text
    for name in cli.commands["step"].commands:
        assert f"Usage: pdgmm step {name}" in text
    assert "-h, --help" in text
    assert "make site" in text
    assert "<!-- help" not in text


def test_long_references_are_folded(site):
    for page, shown, summary in (
        ("repository/config/index.html", "Every key of a config", '<h2 id="methods-spike_slab">'),
        ("commands.html", "Usage: pdgmm fit", "Usage: pdgmm step generate"),
        ("reproduction/estimators.html", '<h3 id="mcc-held-out-samples">', '<h3 id="r²-held-out-samples">'),
    ):
        text = (site / page).read_text()
        assert f"<details><summary>{summary}" in text
        assert shown in re.sub("<details>.*?</details>", "", text, flags=re.DOTALL)


def test_pictures_are_drawn(site):
    assert (site / "pictures" / "supports.png").stat().st_size > 10_000
    assert "pictures/supports.png" in (site / "how-it-works.html").read_text()


def test_formulas_are_typeset(site):
    text = (site / "how-it-works.html").read_text()
    assert re.search(r'<div class="formula" tabindex="0"><math [^>]*display="block">.*<msub>', text)
    assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">' in text
    for page in site.rglob("*.html"):
        assert "arithmatex" not in page.read_text(), page


def test_a_paragraph_inside_a_list_does_not_end_it(site):
    pages = [page for page in site.rglob("*.html") if "code" not in page.relative_to(site).parts]
    assert len(pages) > len(NAV_PAGES)
    for page in pages:
        assert not re.search(r"\n- <(?:strong|code|em)>", page.read_text()), page


def test_links_to_files_of_the_repository_stay_on_the_site(site):
    assert 'href="code/profiles/slurm/config.yaml.html"' in (site / "cluster.html").read_text()
    assert 'href="repository/config/index.html"' in (site / "start.html").read_text()
    assert 'href="../add-a-method.html"' in (site / "repository" / "CONTRIBUTING.html").read_text()
