"""A fit that fails is a result in the table, not a failed workflow."""

import json

import pytest

pytestmark = pytest.mark.slow


def test_a_diverged_part_is_recorded_and_tabulated(finished):
    config = finished.config
    config["methods"]["autoencoder"]["learning_rate"] = 1.0e30
    config["experiments"]["tiny"]["heatmaps"] = False
    finished.config = config
    finished.run()
    scores = next(finished.folder.glob("results/*/seed-0/autoencoder+lagrangian/scores.json"))
    run = json.loads(scores.read_text())
    assert run["status"] == "diverged"
    assert run["reason"].startswith("autoencoder: ")
    table = (finished.folder / "results/tables/tiny.md").read_text()
    assert "diverged (1 of 1)" in table
    assert finished.planned() == {}


def test_threads_are_one_a_training_whatever_the_cores(finished_once):
    notes = [
        json.loads(path.read_text())["notes"]
        for path in finished_once.folder.glob("results/*/seed-0/*/model.json")
    ]
    assert len(notes) == 3
    assert {note["threads"] for note in notes} == {1}
