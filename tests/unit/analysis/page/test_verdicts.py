"""What follows from the answers, and names that fit into a figure."""

import pytest
from made_up_answers import NAUGHTY, answers

from pdgmm.analysis.page.figure_style import LONGEST_NAME, drawn_names
from pdgmm.analysis.page.verdicts import graph_verdict, meaning_verdict


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
