"""The step that scores a run: files in, file out."""

import json

import numpy as np
import pytest

from pdgmm.steps.draw_heatmaps import draw_scores
from pdgmm.steps.score import score_run
from pdgmm.store import hdf5
from pdgmm.store.checked_json import read_scores

Z = np.random.default_rng(0).normal(size=(60, 4))
LABEL = json.dumps({"method": "flow+spike_slab", "size": "9 steps"})


@pytest.fixture
def run(tmp_path):
    """Scores a dataset with these arrays against latents with those."""

    def scored(truth, learned, status="ok", facts=None):
        dataset, latents = tmp_path / "world-00000000" / "seed-3.h5", tmp_path / "latents.h5"
        with hdf5.create(dataset, "dataset", {"settings": {"n": 4}, "seed": 3, "facts": facts or {}}) as file:
            for name, array in truth.items():
                hdf5.put(file, name, array)
        with hdf5.create(
            latents, "latents", {"status": status, "reason": "" if status == "ok" else "NaN"}
        ) as file:
            for name, array in learned.items():
                hdf5.put(file, name, array)
        score_run(dataset, latents, LABEL, tmp_path / "scores.json")
        return read_scores(tmp_path / "scores.json")

    return scored


def truth(*splits):
    return {f"{split}/{name}": Z for split in splits for name in ("x", "z")}


def test_every_split_of_the_file_is_scored_but_the_one_that_is_learned_from(run, tmp_path):
    learned = {f"{split}/z_hat": -2 * Z for split in ("test", "autumn")}
    masks = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.uint8)
    claims = {"claims/supports": masks[:1], "claims/support_weights": np.ones(1)}
    found = run({**truth("train", "autumn", "test"), "masks": masks}, {**learned, **claims})
    assert found["places"] == ["test", "autumn", "supports"]
    assert (found["method"], found["size"], found["seed"]) == ("flow+spike_slab", "9 steps", 3)
    for place in ("test", "autumn"):
        assert found["scores"][place]["mcc"] == pytest.approx(1)
        assert found["scores"][place]["mcc_chance"] < 1
    assert (found["scores"]["supports"]["precision"], found["scores"]["supports"]["recall"]) == (1, 0.5)
    draw_scores([tmp_path / "scores.json"], tmp_path / "figure")
    assert b"MCC 1.000" in (tmp_path / "figure.svg").read_bytes()


def test_a_failed_fit_and_data_without_truth_have_no_scores(run):
    failed = run(truth("train", "test"), {}, status="diverged")
    assert (failed["status"], failed["reason"], failed["scores"]) == ("diverged", "NaN", {})
    assert run({"train/x": Z, "test/x": Z}, {"test/z_hat": Z})["scores"] == {}


def test_generated_samples_are_scored_where_they_are_images(run):
    images = Z.clip(0, 1)
    data = {"train/x": images, "test/x": images}
    learned = {"test/z_hat": Z, "claims/generated": images}
    assert run(data, learned)["scores"] == {}
    found = run(data, learned, facts={"picture_shape": [2, 2, 1]})
    assert found["places"] == ["generated"]
    assert found["scores"]["generated"]["frechet"] == pytest.approx(0, abs=1e-9)
