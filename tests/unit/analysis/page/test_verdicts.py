"""What follows from the answers, and names that fit into a figure."""

import pytest
from made_up_answers import NAUGHTY, answers, content

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.page.figure_style import LONGEST_NAME, drawn_names
from pdgmm.analysis.page.verdicts import graph_verdict, meaning_verdict, summary


def test_names_fit_into_a_figure():
    drawn = drawn_names(NAUGHTY)
    assert max(map(len, drawn)) <= LONGEST_NAME
    assert drawn[1] == "Größe in µm"
    assert drawn[3] == "column 4"  # the figures' font has no Chinese
    assert drawn_names(["a" * 40 + "1", "a" * 40 + "2"])[0].endswith("1")
    assert drawn_names([" "]) == ["column 1"]


@pytest.mark.parametrize(
    ("trusted", "stability", "meaning", "graph"),
    [
        ([1, 2, 3], 0.9, "holds", "holds"),
        ([1, 2, 3], 0.5, "holds", "doubtful"),
        ([1, 2, 3], None, "holds", "unknown"),
        ([1, 2], 0.9, "doubtful", "doubtful"),
        ([], 0.9, "violated", "violated"),
    ],
)
def test_what_follows_from_trust(trusted, stability, meaning, graph):
    edges = [{"from": 1, "to": 2, "directed": True, "stability": stability}]
    found = answers(n=3, trusted=trusted, edges=edges)
    assert meaning_verdict(found) == meaning
    assert graph_verdict(found) == graph


@pytest.mark.parametrize("n", [1, 3, 8, 120])
@pytest.mark.parametrize("trusted", [[], None], ids=["nothing trusted", "most trusted"])
def test_the_summary_is_one_screen(n, trusted):
    changed = content(n=n, columns=2, trusted=trusted)
    long = "A sentence that goes on and on about pairs of latents and their reasons. " * 9
    changed["count"] |= {"sentence": long, "non_gaussian_sentence": long}
    changed["assumptions"]["variability"]["sentence"] = long
    changed["data"]["notes"] = [long] * 7
    lines = summary(Answers.model_validate(changed)).splitlines()
    assert len(lines) <= 22, "two more lines say which page to open"
    assert max(map(len, lines)) <= 100


def test_the_summary_counts_reasons_and_names_a_few_latents():
    text = summary(answers(n=12, trusted=[1, 2, 3, 5]))
    assert text.startswith("4 of 12 latents can be trusted: 1, 2, 3 and 5\n")
    assert "8 latents: other rows of the data give another latent (4 and 6 to 12)" in text
    assert "latents: other rows" not in summary(answers(n=3, trusted=[1, 2, 3]))
