"""Score files are read as they were written, or named."""

import json

import pytest

from pdgmm.errors import UserError
from pdgmm.steps.draw_graphs import draw_graph_scores
from pdgmm.steps.draw_heatmaps import draw_scores
from pdgmm.store.checked_json import read_scores, write_scores

RUN = {"method": "identity", "scores": {"test": {"mcc": 0.9895, "correlation": [[1.0, 0.5]]}}, "seed": 3}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "scores.json"
    write_scores(path, "scores", RUN)
    return path


def test_scores_come_back_as_they_were(file):
    assert read_scores(file) == RUN


@pytest.mark.parametrize(
    "content", ["{}", "[]", "null", "3", "", '{"kind": "scores"}', json.dumps(RUN), "[" * 10**5]
)
@pytest.mark.parametrize(
    "step",
    [
        lambda path: draw_scores([path], path.with_name("figure")),
        lambda path: draw_graph_scores([path], "pc", path.with_name("figure")),
    ],
)
def test_what_are_no_scores_is_named(file, content, step):
    file.write_text(content)
    with pytest.raises(UserError, match=r"scores\.json is damaged"):
        step(file)


def test_scores_of_something_else_are_named(file):
    with pytest.raises(UserError, match=r"scores\.json holds no graph scores"):
        draw_graph_scores([file], "pc", file.with_name("figure"))


def test_missing_scores_are_named(tmp_path):
    with pytest.raises(UserError, match=r"no\.json does not exist: run snakemake"):
        read_scores(tmp_path / "no.json")
