"""A study that includes another file, sweeps a setting, tabulates training times, and lies elsewhere on the disk."""

import json

import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.slow

SHARED = {
    "datasets": {
        "pdgmm": {"m": 2, "samples": {"train": 1000, "test": 200, "unmasked": 200, "independent": 200}}
    },
    "experiments": {
        "costs": {
            "title": "Costs",
            "dataset": "pdgmm",
            "vary": {"n": [4, 5]},
            "methods": ["fastica"],
            "cost": True,
            "curves": ["mcc"],
            "heatmaps": False,
        },
        "sweep": {
            "title": "Sweep",
            "dataset": "pdgmm",
            "set": {"n": 4},
            "methods": ["fastica"],
            "vary_methods": {"fastica.tol": [1.0e-4, 1.0e-5]},
            "heatmaps": False,
        },
    },
}


def test_sweeps_and_costs_end_in_their_files_under_another_directory(fresh, tmp_path):
    (fresh.folder / "shared").mkdir()
    (fresh.folder / "shared" / "all.yaml").write_text(yaml.safe_dump(SHARED))
    fresh.config = {"include": "shared/all.yaml", "seeds": [0], "device": "cpu"}
    elsewhere = tmp_path / "scratch"
    planned = fresh.planned("--directory", str(elsewhere))
    assert planned["train_stage1"] == 3, "the value it has anyway is shared"
    fresh.run("--directory", str(elsewhere))
    assert list((elsewhere / "datasets").glob("*/seed-0.h5"))
    assert not (fresh.folder / "results").exists()
    assert not (fresh.folder / "datasets").exists()
    tables = elsewhere / "results/tables"
    sweep = pd.read_csv(tables / "sweep.csv")
    assert set(sweep["method"]) == {"fastica"}
    assert sorted(sweep["setting_fastica.tol"].unique()) == [1e-5, 1e-4]
    times = pd.read_csv(tables / "costs.csv").query("metric == 'seconds'")
    assert (times["mean"] > 0).all()
    for picture in ("cost.png", "curves.png"):
        assert (elsewhere / "results/figures/costs" / picture).stat().st_size > 1000
    scores = [json.loads(path.read_text()) for path in elsewhere.glob("results/*/seed-0/*/scores.json")]
    assert len(scores) == 3
    assert not any("seconds" in json.dumps(run) for run in scores)
    assert fresh.planned("--directory", str(elsewhere)) == {}, "a second run does nothing"
