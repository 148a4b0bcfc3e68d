"""The whole page, for studies of every kind."""

import itertools
import json
import re
import warnings
from xml.etree import ElementTree

import pytest
from made_up_diagnostics import NAUGHTY, diagnostics, write_study, write_traversals
from page_reader import Page

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


def many():
    return diagnostics(n=60, columns=200)


CASES = {
    "normal": diagnostics,
    "quick": lambda: diagnostics(n=3, quick=True),
    "images": lambda: diagnostics(n=3, names=PIXELS, image_shape=[4, 4, 3]),
    "nothing trusted": lambda: diagnostics(n=3, trusted=[]),
    "one latent": lambda: diagnostics(n=1),
    "many": many,
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Every case's page is written once."""
    folder, done = tmp_path_factory.mktemp("studies"), {}

    def page(case):
        if case not in done:
            study = write_study(folder / case.replace(" ", "_"), CASES[case]())
            if case == "images":
                write_traversals(study)
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a glyph the font lacks, a layout that failed, an empty mean
                done[case] = study, write_page(study).read_text(encoding="utf-8")
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


def test_the_summary_says_what_to_trust(written):
    page = Page(written("normal")[1])
    assert (2, "4 of 6 latents can be trusted") in page.headings
    assert "Leave out latents 5 and 6" in page.text
    assert "10,000 rows (of 10,040 in the file) and 8 columns." in page.text
    assert "40 rows with missing values were left out." in page.text
    assert "latents.csv" in page.text
    assert "pdgmm encode" not in page.text  # there are no fits in this folder
    assert "Trusted does not mean true" in page.text
    assert "pdgmm 9.8.7" in page.text
    assert "quick look. Fit again" not in page.text


def test_what_cannot_be_trusted_looks_so(written):
    page = Page(written("normal")[1])
    greyed = [row for row in page.named("tr") if row.get("class") == "untrusted"]
    assert len(greyed) > 4  # two latents in each of three tables, and edges
    alternatives = [image["alt"] for image in page.named("img")]
    assert any("not trusted: latents 5 and 6" in text for text in alternatives)
    assert "Do not interpret latents 5 and 6" in page.text


def test_figures_say_what_is_seen(written):
    alternatives = [image["alt"] for image in Page(written("normal")[1]).named("img")]
    for words in (
        "with a line after number 6: the directions before it hold 97.0%",
        "highest, -10.00, at 6",
        "Strong agreement goes from",
        "The share of rows at rest goes from",
        "6 Q-Q plots, for latents 1 to 6",
        "Dot matrix of 20 patterns",
        "Heatmap of 6 latents by 8 columns",
        "Graph of 6 latents",
    ):
        assert sum(words in text for text in alternatives) == 1, words


def test_a_quick_look_says_so(written):
    text = Page(written("quick")[1]).text
    assert "Fit again without --quick" in text
    assert "not fitted" in text
    assert "What could not be checked" in text


def test_images_are_shown_as_images(written):
    page = Page(written("images")[1])
    assert "each an image of 4 by 4 pixels with 3 channels" in page.text
    assert any("3 maps of 4 by 4 pixels" in image["alt"] for image in page.named("img"))
    assert sum(image["src"].startswith("data:image/png") for image in page.named("img")) == 1


def test_traversals_belong_to_images_only(tmp_path):
    study = write_study(tmp_path, diagnostics(n=1, columns=2))
    write_traversals(study)
    assert "data:image/png" not in write_page(study).read_text()


def test_without_any_trusted_latent_there_is_no_finding(written):
    page = Page(written("nothing trusted")[1])
    assert (2, "0 of 3 latents can be trusted") in page.headings
    assert "Nothing below is a finding" in page.text
    assert "No latent trusted" in page.text
    assert "Not reliable" in page.text


def test_one_latent_has_no_graph(written):
    page = Page(written("one latent")[1])
    assert (2, "1 of 1 latent can be trusted") in page.headings
    assert "A graph needs at least two latents." in page.text


def test_many_latents_and_columns_are_cut_with_notice(written):
    page = Page(written("many")[1])
    assert "Shown are the 40 of 200 columns with the largest values." in page.text
    assert "The 12 with the worst verdicts are drawn, 48 more are in the table." in page.text
    # The two latents that break the assumption are among the drawn ones, though they come last.
    assert any("59 and 60" in image["alt"] for image in page.named("img") if "Q-Q" in image["alt"])


def test_names_are_text_never_code(tmp_path):
    content = diagnostics(n=2, names=NAUGHTY, reason="<b>bold</b> & so")
    content["data"]["file"] = "<img src=x onerror=alert(1)>.csv"
    content["data"]["notes"] = ["the column '<script>alert(2)</script>' was left out"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = write_page(write_study(tmp_path, content)).read_text(encoding="utf-8")
    page = Page(text)
    assert page.count("script") == page.count("b") == 0
    assert all("onerror" not in image for image in page.named("img"))
    assert "<b>bold</b> & so in all fits" in page.text
    assert "<script>alert(2)</script>" in page.text
    assert "Größe in µm" in page.text
    assert "\u202e" not in text
    for figure in (tmp_path / "figures").glob("*.svg"):
        assert not [part for part in ElementTree.parse(figure).iter() if part.tag.endswith("script")]


def test_rows_that_were_fitted_are_not_passed_off_as_new(tmp_path):
    content = diagnostics(n=2, columns=3)
    assert "those that were fitted included" not in text_of(tmp_path / "new", content)
    content["identified"] |= {"compared_rows": 178, "fitted_rows_too": True}
    assert "Compared on all 178 rows, those that were fitted included" in text_of(tmp_path / "few", content)


def text_of(folder, content):
    return Page(write_page(write_study(folder, content)).read_text()).text


def test_a_page_of_an_earlier_version_is_still_written(tmp_path):
    content = diagnostics(n=2, columns=3)
    del content["identified"]["compared_rows"], content["identified"]["fitted_rows_too"]
    for entry in content["assumptions"]["latents"]:
        del entry["gaussianity"]["critical_value"]
    text = text_of(tmp_path, content)
    assert "Lilliefors 0.400" in text
    assert "p-value" not in text


def test_values_that_are_not_defined_are_left_out(tmp_path):
    content = diagnostics(n=2, columns=3, edges=[{"from": 1, "to": 2, "directed": False, "stability": None}])
    content["count"] |= {"candidates": [{"n": 2, "held_out_log_likelihood": None}], "rank": None}
    content["identified"] |= {"fits": 1, "strong_mcc": None, "weak_mcc": None}
    for entry in content["identified"]["latents"]:
        entry |= {"strong": None, "weak": None}
    for entry in content["assumptions"]["latents"]:
        entry |= {"spike_share": None, "spike_value": None, "quantiles": {"normal": [], "observed": []}}
    content["assumptions"] |= {"patterns": [], "patterns_share": None}
    content["meaning"]["sensitivity"] = [[None] * 3, [None] * 3]
    content["graph"] |= {"alpha": None, "samples": None}
    content["seconds"] = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = Page(write_page(write_study(tmp_path, content)).read_text()).text
    assert "strong n/a, weak n/a" in text
    assert "None" not in text
    assert "nan" not in re.findall(r"\w+", text)


def test_the_same_diagnostics_give_the_same_bytes(tmp_path):
    content = json.loads(json.dumps(diagnostics(n=3, columns=4)))
    first, second = (write_page(write_study(tmp_path / name, content)).parent for name in "ab")
    files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert len(files) > 14
    for file in files:
        assert (first / file).read_bytes() == (second / file).read_bytes(), file
