"""The page on a named method, whose assumptions are not checked, and on data from several domains."""

import warnings

import pytest
from made_up_answers import NAUGHTY, by_method, content
from page_reader import Page

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.page.analysis_page import write_page
from pdgmm.analysis.page.verdicts import graph_verdict, meaning_verdict, summary

CASES = {
    "method": {},
    "none again": {"again": ()},
    "domains": {"domains": ["Basel", "Oslo", "Rome"]},
    "many": {"n": 14, "again": range(1, 14), "domains": [f"site {place}" for place in range(30)]},
    "naughty": {"method": "flow+spike_slab", "domains": NAUGHTY, "names": NAUGHTY},
}


@pytest.fixture(scope="module", params=CASES)
def written(request, tmp_path_factory):
    """The answers of a case with the text of their page, which was written without any warning."""
    found = by_method(**CASES[request.param])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return found, write_page(tmp_path_factory.mktemp("study"), found).read_text(encoding="utf-8")


def test_it_is_whole_and_calls_nothing_trusted(written):
    found, text = written
    page = Page(text)
    questions = [heading for _, heading in page.headings if heading.endswith("?")]
    assert len(questions) == (4 if found.domains is None else 5)
    assert [each for each in questions if each.endswith("Which latents change over domains?")] == questions[
        4:
    ]
    assert page.count("table") == page.count("caption")
    assert all(len(image["alt"]) > 40 for image in page.named("img"))
    identifiers = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    assert page.count("script") == 0
    assert (
        f"What {found.settings.method} assumes was not checked, so no latent is called trusted." in page.text
    )
    for said in (
        "can be trusted",
        "cannot be trusted",
        "not trusted",
        "Rest and normality",
        "Gaussian directions, and",
    ):
        assert said not in page.text


def test_marks_follow_what_came_out_again(written):
    found, text = written
    again = len(found.sure)
    assert Page(text).text.count("(not found again)") >= found.n_latents - again
    assert meaning_verdict(found) == ("doubtful" if again else "violated")
    assert graph_verdict(found) == meaning_verdict(found)
    lines = summary(found).splitlines()
    assert lines[0].startswith(f"{again} of {found.n_latents} latents of {found.settings.method} found again")
    assert len(lines) <= 22
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"settings": {"method": None}}, "assumptions are for the fit without a method"),
        ({"domains": {"rows": [100]}}, "for each domain"),
        ({"domains": {"latents": []}}, "domains.latents must number the latents"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(change, said):
    whole = by_method(domains=["a", "b"]).model_dump(mode="json", by_alias=True)
    for part, values in change.items():
        whole[part] |= values
    with pytest.raises(ValueError, match=said):
        Answers.model_validate(whole)


def test_a_page_without_a_method_has_its_assumptions():
    lacking = content()
    del lacking["assumptions"]
    with pytest.raises(ValueError, match="assumptions are for the fit without a method"):
        Answers.model_validate(lacking)
