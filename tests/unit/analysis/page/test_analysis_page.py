"""The whole page, for analyses of every kind."""

import itertools
import re
import warnings
from xml.etree import ElementTree

import pytest
from made_up_answers import NAUGHTY, answers, content, write_traversals
from page_reader import Page

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.page.analysis_page import write_page

QUESTIONS = [
    "1. How many latents are there?",
    "2. Are they identified?",
    "3. Do the assumptions hold?",
    "4. What do they mean?",
    "5. How do they cause each other?",
]
PIXELS = [f"pixel_{place}" for place in range(4 * 4 * 3)]
FIGURES = {"count", "identified", "rest", "normality", "patterns", "meaning", "graph"}
CASES = {
    "normal": {},
    "quick": {"n": 3, "quick": True},
    "images": {"n": 3, "names": PIXELS, "image_shape": [4, 4, 3]},
    "nothing trusted": {"n": 3, "trusted": []},
    "one latent": {"n": 1},
    "many": {"n": 14, "columns": 41},
}


def page_of(folder, found):
    """The HTML of a page that was written without any warning: of a glyph, a layout or an empty mean."""
    folder.mkdir(exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return write_page(folder, found).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Every case's page is written once."""
    folder, done = tmp_path_factory.mktemp("studies"), {}

    def page(case):
        if case not in done:
            study = folder / case.replace(" ", "_")
            if case == "images":
                write_traversals(study)
            done[case] = study, page_of(study, answers(**CASES[case]))
        return done[case]

    return page


@pytest.mark.parametrize("case", CASES)
def test_every_page_is_whole_accessible_and_alone(written, case):
    study, text = written(case)
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    assert page.named("html") == [{"lang": "en"}]
    assert page.count("title") == page.count("main") == page.count("header") == page.count("footer") == 1
    assert page.named("a")[0] == {"class": "skip", "href": "#main"}
    assert [heading for level, heading in page.headings if heading in QUESTIONS] == QUESTIONS
    levels = [level for level, _ in page.headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    for image in page.named("img"):
        assert len(image["alt"]) > 40
        assert image["src"].startswith("data:image/")
    assert page.count("table") == page.count("caption")
    assert all(cell.get("scope") in ("row", "col") for cell in page.named("th"))
    boxes = [box for box in page.named("div") if "scroll" in box.get("class", "")]
    assert len(boxes) == page.count("table")
    assert all(box["tabindex"] == "0" and box["role"] == "region" and box["aria-label"] for box in boxes)
    assert page.count("script") == 0
    assert not re.search(r"https?:|url\(|@import|//", re.sub(r"base64,[^\"]*", "", text))
    identifiers = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    targets = [link["href"].removeprefix("#") for link in page.named("a")]
    assert set(targets) <= set(identifiers)
    drawn = {path.stem for path in (study / "figures").glob("*.svg")}
    assert drawn == (FIGURES - {"graph"} if case == "one latent" else FIGURES)
    assert drawn <= {path.stem for path in (study / "figures").glob("*.png")}


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (
            "normal",
            [
                "4 of 6 latents can be trusted",
                "Leave out latents 5 and 6",
                "10,000 rows (of 10,040 in the file) and 8 columns.",
                "40 rows with missing values were left out.",
                "Trusted does not mean true",
                "pdgmm 9.8.7",
            ],
        ),
        ("quick", ["Fit again without --quick", "not fitted", "What could not be checked"]),
        (
            "nothing trusted",
            [
                "0 of 3 latents",
                "Nothing below is a finding",
                "The data look like Gaussian directions",
                "No latent trusted",
                "Not reliable",
            ],
        ),
        ("one latent", ["1 of 1 latent can be trusted", "A graph needs at least two latents."]),
    ],
)
def test_the_page_says_what_to_trust(written, case, words):
    text = Page(written(case)[1]).text
    assert [each for each in words if each not in text] == []
    assert ("Fit again without --quick" in text) == (case == "quick")


def test_what_cannot_be_trusted_looks_so(written):
    page = Page(written("normal")[1])
    greyed = [row for row in page.named("tr") if row.get("class") == "untrusted"]
    assert len(greyed) > 4  # two latents in each of three tables, and edges
    alternatives = [image["alt"] for image in page.named("img")]
    assert any("not trusted: latents 5 and 6" in text for text in alternatives)
    assert "Do not interpret latents 5 and 6" in page.text


def test_images_are_shown_as_images(written):
    page = Page(written("images")[1])
    assert "each an image of 4 by 4 pixels with 3 channels" in page.text
    assert any("3 maps of 4 by 4 pixels" in image["alt"] for image in page.named("img"))
    assert sum(image["src"].startswith("data:image/png") for image in page.named("img")) == 1


def test_many_latents_and_columns_are_cut_with_notice(written):
    page = Page(written("many")[1])
    assert "Shown are the 40 of 41 columns with the largest values." in page.text
    assert "The 12 with the worst verdicts are drawn, 2 more are in the table." in page.text
    # The two latents that break the assumption are among the drawn ones, though they come last.
    assert any("13 and 14" in image["alt"] for image in page.named("img") if "Q-Q" in image["alt"])


def test_names_are_text_never_code(tmp_path):
    changed = content(n=2, names=NAUGHTY)
    changed["data"]["file"] = "<img src=x onerror=alert(1)>.csv"
    changed["data"]["notes"] = ["the column '<script>alert(2)</script>' was left out"]
    changed["identified"]["latents"][0]["reason"] = "<b>bold</b> & so"
    text = page_of(tmp_path, Answers.model_validate(changed))
    page = Page(text)
    assert page.count("script") == page.count("b") == 0
    assert all("onerror" not in image for image in page.named("img"))
    assert all(
        words in page.text for words in ("<b>bold</b> & so", "<script>alert(2)</script>", "Größe in µm")
    )
    assert "\u202e" not in text
    for figure in (tmp_path / "figures").glob("*.svg"):
        assert not [part for part in ElementTree.parse(figure).iter() if part.tag.endswith("script")]


def test_values_that_are_not_defined_are_left_out(tmp_path):
    changed = content(n=2, columns=3, edges=[{"from": 1, "to": 2, "directed": False, "stability": None}])
    changed["count"]["candidates"] = [{"n": 2, "held_out_log_likelihood": None}]
    changed["identified"] |= {"fits": 1, "strong_mcc": None, "weak_mcc": None}
    for entry in changed["identified"]["latents"]:
        entry |= {"strong": None, "weak": None}
    for entry in changed["assumptions"]["latents"]:
        entry |= {"spike_share": None, "spike_value": None, "quantiles": {"normal": [], "observed": []}}
    changed["assumptions"]["patterns"] = []
    changed["meaning"]["sensitivity"] = [[None] * 3, [None] * 3]
    text = Page(page_of(tmp_path, Answers.model_validate(changed))).text
    assert "strong n/a, weak n/a" in text
    assert "None" not in text
    assert "nan" not in re.findall(r"\w+", text)


def test_the_same_answers_give_the_same_bytes(tmp_path):
    for name in "ab":
        page_of(tmp_path / name, answers(n=2, columns=2))
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert len(files) > 14
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file
