"""From rendered images to scores and figures, for real."""

import json

import pandas as pd
import pytest

from pdgmm.store import hdf5

pytestmark = pytest.mark.slow

BALLS = {
    "datasets": {"balls": {"size": 32, "samples": {"train": 2000, "test": 500, "unmasked": 100}}},
    "methods": {
        "keypoints": {"steps": 100, "batch_size": 32, "channels": 16},
        "cnn": {"steps": 3, "batch_size": 16},
    },
    "experiments": {
        "balls": {
            "title": "Balls",
            "dataset": "balls",
            "methods": ["keypoints+spike_slab"],
            "seeds": [0],
            "published_table": "pdgmm/13",
        }
    },
}


def test_images_become_positions_and_a_change_re_runs_what_depends_on_it(fresh):
    fresh.config = BALLS
    fresh.run("balls")
    (dataset,) = (fresh.folder / "datasets").glob("balls-*")
    results = fresh.folder / "results" / dataset.name / "seed-0"
    with hdf5.opened(results / "keypoints/code.h5", "latents") as file:
        assert file["train/z_hat"].shape == (2000, 12)
    found = json.loads((results / "keypoints+spike_slab/scores.json").read_text())["scores"]
    assert min(found["test"]["ball_1"], found["test"]["ball_2"]) > 0.9
    assert found["test_apart"]["block_mcc"] > 0.9
    table = pd.read_csv(fresh.folder / "results/tables/balls.csv")
    ball = table[(table.method == "keypoints+spike_slab") & (table.metric == "ball_1")].iloc[0]
    assert ball.published_mean == 0.958
    for kind in ("images", "positions", "traversals"):
        figure = fresh.folder / f"results/figures/balls/{dataset.name}-keypoints-{kind}.png"
        assert figure.stat().st_size > 5_000

    assert not fresh.planned("balls")
    changed = json.loads(json.dumps(BALLS))
    changed["methods"]["keypoints"]["steps"] = 90
    fresh.config = changed
    again = fresh.planned("balls")
    assert "generate_dataset" not in again
    assert (again["train_stage1"], again["train_stage2"]) == (1, 1)
    changed = json.loads(json.dumps(BALLS))
    changed["experiments"]["balls"]["methods"].append("cnn+spike_slab")
    fresh.config = changed
    other = fresh.planned("balls")
    assert "generate_dataset" not in other
    assert (other["train_stage1"], other["train_stage2"], other["draw_balls"]) == (1, 1, 1)
