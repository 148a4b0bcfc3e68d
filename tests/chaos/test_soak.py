"""The soak runs what it says, keeps what it measured and judges it."""

import json

import pytest
from soak import MEGABYTE, MOST_GROWTH, growth, judged, soak
from soak_process import runs_without_images
from soak_rounds import SoakRounds
from workflow_project import ROOT

from pdgmm.study.config import read_config
from pdgmm.study.planning import plan_study


def one_round(memory=400, files=20, scores="s", seconds=2.0):
    return {"seconds": seconds, "memory": memory * MEGABYTE, "files": files, "scores": scores}


def test_a_leak_is_seen_and_breathing_is_not():
    start = 400 * MEGABYTE
    assert growth([start + i * 5 * MEGABYTE for i in range(20)]) > MOST_GROWTH
    assert growth([start + (i % 3) * 10 * MEGABYTE for i in range(20)]) <= MOST_GROWTH


def test_runs_on_images_are_left_out():
    study = plan_study(read_config([ROOT / "config" / "config.yaml"]))
    runs = runs_without_images(study)
    assert any("@" in name for name, _, _ in study.runs()), "the default study has images to leave out"
    assert runs == [run for run in study.runs() if "@" not in run[0]]
    assert runs


def test_rounds_of_a_killed_soak_count_and_half_a_line_does_not(tmp_path):
    file = tmp_path / "deep" / "soak.jsonl"
    first = SoakRounds(file, "k")
    assert first.begin(20) == 1
    first.add(one_round(), 1)
    first.add(one_round(), 1)
    with file.open("a") as half:
        half.write('{"memory": 3')
    again = SoakRounds(file, "k")
    assert again.begin(20) == 2
    again.add(one_round(), 2)
    assert [len(process) for process in SoakRounds(file, "k").by_process()] == [2, 1]


@pytest.mark.parametrize(("key", "rounds"), [("other code", 20), ("k", 2)], ids=["other code", "finished"])
def test_a_soak_begins_anew(tmp_path, key, rounds):
    file = tmp_path / "soak.jsonl"
    first = SoakRounds(file, "k")
    for _ in range(2):
        first.begin(20)
        first.add(one_round(), 1)
    again = SoakRounds(file, key)
    assert again.begin(rounds) == 1
    assert again.measured == []
    assert file.read_text() == ""


def test_the_page_says_how_many_rounds_were_run():
    case = judged("default", 20, None, [[one_round()] * 5, [one_round(seconds=4.0)] * 2], 18.0)
    assert (case.tried, case.failures, case.data_lost) == (7, 0, 0)
    assert "7 of 20 rounds were run, 5 and 2 of them in a row in one process, then interrupted" in case.note
    assert "images are left out" in case.note
    assert "2 s a round" in case.note
    few = judged("tiny", 3, 0, [[one_round()] * 3], 6.0)
    assert "3 of 3 rounds were run" in few.note
    assert "growth cannot be told" in few.note


@pytest.mark.parametrize(
    ("rounds", "code", "words"),
    [
        ([one_round(memory=400 + 20 * i) for i in range(6)], 0, "memory grew"),
        ([one_round(files=20 + i) for i in range(6)], 0, "open files grew"),
        ([one_round(scores=str(i)) for i in range(6)], 0, "scores differ"),
        ([one_round()] * 5, 1, "ended with 1 after 5 of 6"),
        ([one_round()] * 5, 0, "ended with 0 after 5 of 6"),
    ],
)
def test_what_is_wrong_is_a_failure(rounds, code, words):
    case = judged("tiny", 6, code, [rounds], 1.0)
    assert case.failures == 1
    assert words in case.note


def test_memory_is_compared_within_a_process_only():
    low, high = [one_round(memory=300)] * 5, [one_round(memory=500)] * 5
    assert judged("tiny", 10, 0, [low, high], 1.0).failures == 0


@pytest.mark.slow
def test_an_interrupted_soak_goes_on(tmp_path, monkeypatch):
    def interrupt(text):
        raise KeyboardInterrupt

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    measured = tmp_path / "measured"
    case = soak("tiny", 2, tmp_path / "a", interrupt, measured)
    assert case.tried == 1
    assert "then interrupted" in case.note
    said = []
    case = soak("tiny", 2, tmp_path / "b", said.append, measured)
    assert (case.tried, case.failures, case.data_lost) == (2, 0, 0)
    assert len(said) == 1
    lines = [json.loads(line) for line in (measured / "soak-tiny.jsonl").read_text().splitlines()]
    assert [one["process"] for one in lines] == [1, 2]
    assert all(one["seconds"] > 0 for one in lines)


@pytest.mark.slow
def test_two_processes_share_the_rounds(tmp_path):
    case = soak("tiny", 3, tmp_path, lambda text: None, tmp_path / "measured", processes=2)
    assert (case.tried, case.failures, case.data_lost) == (3, 0, 0), case.note
    lines = [
        json.loads(line) for line in (tmp_path / "measured" / "soak-tiny.jsonl").read_text().splitlines()
    ]
    assert {one["process"] for one in lines} == {1, 2}
    assert len({one["scores"] for one in lines}) == 1


def test_a_process_that_breaks_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("soak.TINY", {"experiments": 3})
    case = soak("tiny", 2, tmp_path, lambda text: None, tmp_path / "measured", processes=2)
    assert case.failures == 1
    assert "ended with 1 after 0 of 2 rounds" in case.note
