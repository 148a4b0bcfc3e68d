"""From rendered images to scores and figures, for real."""

import json

import pandas as pd
import pytest

from pdgmm.store import hdf5

pytestmark = pytest.mark.slow

BALLS = {
    "datasets": {"balls": {"size": 32, "samples": {"train": 2000, "test": 500, "unmasked": 100}}},
    "features": {
        "keypoints": {"steps": 100, "batch_size": 32, "channels": 16},
        "cnn": {"steps": 3, "batch_size": 16},
    },
    "stage1": {"autoencoder": {"widths": [2], "batch_size": 256, "steps": 40}},
    "stage2": {"lagrangian": {"widths": [2], "batch_size": 256, "steps": 40}},
    "experiments": {
        "balls": {
            "title": "Balls",
            "dataset": "balls",
            "methods": ["autoencoder+lagrangian", "spike_slab"],
            "seeds": [0],
            "published_table": "13",
        }
    },
}


def test_images_become_positions_and_a_change_re_runs_what_depends_on_it(fresh):
    project = fresh
    project.config = BALLS
    project.run("balls")
    (dataset,) = (project.folder / "datasets").glob("balls-*@keypoints")
    images = dataset.name.split("@")[0]
    with hdf5.opened(dataset / "seed-0.h5", "dataset") as file:
        assert file["train/x"].shape == (2000, 12)
    scores = project.folder / "results" / dataset.name / "seed-0" / "spike_slab" / "scores.json"
    found = json.loads(scores.read_text())["scores"]
    assert min(found["test"]["ball_1"], found["test"]["ball_2"]) > 0.9
    assert found["test_apart"]["block_mcc"] > 0.9
    table = pd.read_csv(project.folder / "results/tables/balls.csv")
    ball = table[(table.method == "spike_slab") & (table.metric == "ball_1")].iloc[0]
    assert ball.published_mean == 0.958
    for kind in ("images", "positions", "traversals"):
        figure = project.folder / f"results/figures/balls/{images}@keypoints-{kind}.png"
        assert figure.stat().st_size > 5_000

    assert not project.planned("balls")
    config = BALLS | {
        "features": BALLS["features"] | {"keypoints": {"steps": 90, "batch_size": 32, "channels": 16}}
    }
    project.config = config
    again = project.planned("balls")
    assert "render_balls_dataset" not in again
    assert again["train_cnn"] == again["extract_cnn_features"] == 1
    changed = json.loads(json.dumps(BALLS))
    changed["datasets"]["balls"]["features"] = "cnn"
    project.config = changed
    other = project.planned("balls")
    assert "render_balls_dataset" not in other
    assert other["train_cnn"] == 1
