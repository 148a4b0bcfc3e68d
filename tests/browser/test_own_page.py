"""The page on own data in a real browser without network: quiet, narrow enough, and usable by keyboard."""

import os

import pytest
from chromium import Chromium, find_chromium
from made_up_answers import NAUGHTY, answers, write_traversals
from PIL import Image

from pdgmm.analysis.page.analysis_page import write_page

pytestmark = pytest.mark.slow
PIXELS = [f"pixel_{place}" for place in range(4 * 4 * 3)]
STUDIES = {
    "names": {"names": NAUGHTY},
    "many": {"n": 26, "columns": 41},
    "images": {"n": 3, "names": PIXELS, "image_shape": [4, 4, 3]},
}


def chromium_or_skip():
    """The browser. Without one the tests are skipped; in continuous integration, where they must run, they fail."""
    program = find_chromium()
    if program is None:
        missing = "no Chromium here: install one (`make browser` does on Debian), or name it by CHROMIUM=..."
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return program


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = chromium_or_skip()
    with Chromium(program, tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module", params=STUDIES)
def page(request, tmp_path_factory):
    study = tmp_path_factory.mktemp(request.param)
    if request.param == "images":
        write_traversals(study)
    return write_page(study, answers(**STUDIES[request.param]))


@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_is_wider_than_the_window_and_nothing_complains(browser, page, width):
    browser.open(page, width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    said = browser.named("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
    said += browser.named("Page.javascriptDialogOpening")
    assert said == []
    asked = [event["request"]["url"] for event in browser.named("Network.requestWillBeSent")]
    assert asked[0] == page.resolve().as_uri()
    assert all(url.startswith("data:") for url in asked[1:])


def test_the_window_can_be_photographed(browser, page, tmp_path):
    browser.open(page, 360, 500)
    browser.screenshot(tmp_path / "shot.png")
    assert Image.open(tmp_path / "shot.png").size == (360, 500)


def test_the_tab_key_reaches_every_box_that_scrolls(browser, page):
    browser.open(page, 360)
    folded = browser.evaluate(
        "[...document.querySelectorAll('details')].map(part => (part.open = true)).length"
    )
    boxes = "[...document.querySelectorAll('.scroll, .wide')]"
    count = browser.evaluate(f"{boxes}.length")
    assert count > 5
    reached, order = set(), []
    for _ in range(count + folded + 10):  # the skip link and the five questions come first
        browser.press_tab()
        order.append(browser.evaluate("document.activeElement.className || document.activeElement.tagName"))
        reached.add(browser.evaluate(f"{boxes}.indexOf(document.activeElement)"))
        assert browser.evaluate(
            "document.activeElement === document.body || "
            "getComputedStyle(document.activeElement).outlineStyle === 'solid'"
        ), f"the focus cannot be seen on {order[-1]}"
    assert order[0] == "skip"
    assert set(range(count)) <= reached


def test_a_complaint_would_be_noticed(browser, tmp_path):
    page = tmp_path / "bad.html"
    page.write_text(
        "<!DOCTYPE html><title>bad</title><div style='width: 900px'>wide</div>"
        "<img src='missing.png'><script>console.error('loud'); nothing()</script>"
    )
    browser.open(page, 360)
    assert browser.evaluate("document.documentElement.scrollWidth") > 360
    assert browser.named("Runtime.consoleAPICalled")
    assert browser.named("Runtime.exceptionThrown")
    assert browser.named("Log.entryAdded")
