import json

import pytest
from made_up_diagnostics import NAUGHTY, diagnostics

from pdgmm.analysis.page.assumptions_section import latents_sentence
from pdgmm.analysis.answers import Diagnostics
from pdgmm.analysis.page.figure_style import LONGEST_NAME, drawn_names
from pdgmm.analysis.page.verdicts import graph_verdict, meaning_verdict, worst
from pdgmm.analysis.wording import duration, latents, listed, number, percent, plain


def test_numbers_in_words():
    assert number(None) == "n/a"
    assert number(-0.001) == "0.00"
    assert percent(0.5) == "50%"
    assert percent(0.996) == "99.6%"
    assert percent(0.004) == "0.4%"
    assert percent(0.996, 0) == "100%"
    assert [duration(seconds) for seconds in (40.2, 125, 10920)] == ["40 s", "2 min 5 s", "3 h 2 min"]
    assert latents([]) == "no latent"
    assert latents([2]) == "latent 2"
    assert latents([1, 2, 3]) == "latents 1, 2 and 3"
    assert latents([1, 2, 4, 5, 6, 7, 9]) == "latents 1, 2, 4 to 7 and 9"
    assert listed([]) == "none"


def test_text_cannot_turn_or_break_a_line():
    assert plain("a\u202eb\nc\x00") == "a\ufffdb c\ufffd"
    assert plain("Größe 身長 ‌") == "Größe 身長 ‌"


def test_names_fit_into_a_figure():
    drawn = drawn_names(NAUGHTY)
    assert max(map(len, drawn)) <= LONGEST_NAME
    assert drawn[1] == "Größe in µm"
    assert drawn[3] == "column 4"  # the figures' font has no Chinese
    assert drawn_names(["a" * 40 + "1", "a" * 40 + "2"])[0].endswith("1")
    assert drawn_names([" "]) == ["column 1"]


def test_the_worst_verdict_counts():
    assert worst(["holds", "unknown"]) == "unknown"
    assert worst(["doubtful", "unknown"]) == "doubtful"
    assert worst(["doubtful", "violated", "holds"]) == "violated"
    assert worst([]) == "unknown"


def edge(stability):
    return [{"from": 1, "to": 2, "directed": True, "stability": stability}]


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
    content = diagnostics(n=3, trusted=trusted, edges=edge(stability))
    found = Diagnostics.model_validate_json(json.dumps(content))
    assert meaning_verdict(found) == meaning
    assert graph_verdict(found) == graph


def test_the_sentence_names_the_latents_that_break_an_assumption():
    content = diagnostics(n=4, trusted=[1, 2])
    content["assumptions"]["latents"][1]["verdict"] = "doubtful"
    sentence = latents_sentence(Diagnostics.model_validate_json(json.dumps(content)))
    assert sentence.startswith("1 of 4 latents rests")
    assert "does not hold for latents 3 and 4, is doubtful for latent 2." in sentence
