"""The answers as a file: what does not fit together is refused, and the message says where."""

import pytest
from made_up_answers import content

from pdgmm.analysis.answers import Answers, Edge, Gaussianity
from pdgmm.analysis.fitting.analysis_folder import read_model, write_model
from pdgmm.errors import UserError
from pdgmm.store.checked_json import write_checked_json


def test_what_was_written_is_read(tmp_path):
    answers = Answers.model_validate(content())
    write_model(tmp_path / "a.json", answers)
    assert read_model(Answers, tmp_path / "a.json", "") == answers
    assert answers.trusted == {1, 2, 3, 4}
    assert answers.unsure == [5, 6]


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        (("identified", "latents"), [], "identified.latents"),
        (("assumptions", "latents", 0, "quantiles", "normal"), [], "quantiles of latent 1"),
        (("identified", "blocks"), [[1]], "blocks"),
        (("meaning", "sensitivity", 2), [], "sensitivity"),
        (("graph", "edges", 0, "to"), 7, "latent 7"),
        (("graph", "edges", 0, "to"), "x", "graph.edges.0.to"),
        (("count", "verdict"), "perhaps", "count.verdict"),
        (("graph",), None, "graph"),
        (("format_version",), 2, "format_version"),
        (("something_new",), 1, "something_new"),
    ],
)
def test_what_does_not_fit_says_where(tmp_path, path, value, word):
    changed = part = content()
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    write_checked_json(tmp_path / "a.json", changed)
    with pytest.raises(UserError, match=rf"a\.json cannot be used .*{word}.* Fit again"):
        read_model(Answers, tmp_path / "a.json", "Fit again")


def test_what_is_not_defined_is_none():
    assert Gaussianity(statistic=float("nan")).statistic is None
    assert Edge(begin=1, end=2, directed=True, stability=float("inf")).stability is None
