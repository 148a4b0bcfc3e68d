"""JSON files with their own checksum, score files among them."""

import json
from pathlib import Path

import pytest

from pdgmm.errors import UserError
from pdgmm.steps.draw_graphs import draw_graph_scores
from pdgmm.steps.draw_heatmaps import draw_scores
from pdgmm.store.checked_json import (
    CHECKSUM,
    read_checked_json,
    read_scores,
    write_checked_json,
    write_scores,
)

CONTENT = {"b": [1, 2.5, None], "a": {"x": "é"}}
REPAIR = "Do this"


@pytest.fixture
def path(tmp_path):
    write_checked_json(tmp_path / "some.json", CONTENT)
    return tmp_path / "some.json"


def test_what_is_written_comes_back_whatever_its_order_and_spaces(path):
    assert read_checked_json(path, REPAIR) == CONTENT
    content = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(content.items()))))
    assert read_checked_json(path, REPAIR) == CONTENT


DEEP = f'{{"{CHECKSUM}": null, "a": {"[" * 700}{"]" * 700}}}'
OTHERS = ["", "{", "[]", "null", "[" * 100_000, DEEP, "\x00", json.dumps(CONTENT)]


@pytest.mark.parametrize("text", [*OTHERS, f'{{"a": NaN, "{CHECKSUM}": "x"}}'])
def test_damage_is_named_with_its_repair(path, text):
    path.write_text(text)
    with pytest.raises(UserError, match=r"some\.json is damaged .*Do this"):
        read_checked_json(path, REPAIR)


@pytest.mark.parametrize(("old", "new"), [("2.5", "6.5"), ('"x"', '"y"'), ("null", "0")])
def test_a_changed_value_is_noticed(path, old, new):
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UserError, match="checksum"):
        read_checked_json(path, REPAIR)


def test_a_folder_in_its_place_is_named(path):
    path.unlink()
    path.mkdir()
    with pytest.raises(UserError, match=r"some\.json is a folder.*Do this"):
        read_checked_json(path, REPAIR)


def test_a_missing_one_is_left_to_the_caller(path):
    for place in (path.with_name("none.json"), path / "below.json"):
        with pytest.raises(FileNotFoundError):
            read_checked_json(place, REPAIR)


def test_one_that_may_not_be_read_is_not_called_damaged(path, monkeypatch):
    def refused(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    # Not by the file's rights: root reads everything.
    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(UserError, match=r"some\.json cannot be read") as raised:
        read_checked_json(path, REPAIR)
    assert "damaged" not in str(raised.value)
    assert REPAIR not in str(raised.value)


RUN = {"method": "identity", "scores": {"test": {"mcc": 0.9895, "correlation": [[1.0, 0.5]]}}, "seed": 3}


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.json"
    write_scores(path, "scores", RUN)
    return path


def test_scores_come_back_as_they_were(scores):
    assert read_scores(scores) == RUN


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
def test_what_are_no_scores_is_named(scores, content, step):
    scores.write_text(content)
    with pytest.raises(UserError, match=r"scores\.json is damaged"):
        step(scores)


def test_scores_of_something_else_are_named(scores):
    with pytest.raises(UserError, match=r"scores\.json holds no graph scores"):
        draw_graph_scores([scores], "pc", scores.with_name("figure"))


def test_missing_scores_are_named(tmp_path):
    with pytest.raises(UserError, match=r"no\.json does not exist: run snakemake"):
        read_scores(tmp_path / "no.json")
