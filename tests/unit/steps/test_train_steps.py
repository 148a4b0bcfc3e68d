"""What stage 2 is asked for follows from what stage 1 learned."""

import json

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.steps.generate import generate_dataset
from pdgmm.steps.train import FitOptions, train_stage1, train_stage2
from pdgmm.store import hdf5

COUNTS = {"train": 400, "test": 50, "unmasked": 50, "independent": 50}
SMALL = {"widths": [2], "steps": 5, "batch_size": 64}


def learned(folder, stage1, settings1, stage2, settings2, **data):
    """The latents of the test samples by two small stages, fitted to a small dataset."""
    dataset = folder / "data" / "seed-0.h5"
    options = FitOptions(device="cpu")
    generate_dataset("pdgmm", json.dumps({"n": 4, "m": 2, "samples": COUNTS, **data}), 0, dataset)
    train_stage1(stage1, json.dumps(settings1), dataset, 0, folder / "one", options)
    train_stage2(stage2, json.dumps(settings2), dataset, folder / "one", 0, folder / "two", options)
    with hdf5.opened(folder / "two" / "latents.h5", "latents") as file:
        return file["test/z_hat"][()]


@pytest.mark.parametrize(("stage2", "settings"), [("lagrangian", SMALL), ("fastica", {}), ("none", {})])
def test_a_wider_code_has_as_many_latents_learned_from_it(tmp_path, stage2, settings):
    latents = learned(tmp_path, "autoencoder", {**SMALL, "extra_latents": 2}, stage2, settings)
    assert latents.shape == (50, 6)


def test_more_observed_dimensions_are_no_more_latents(tmp_path):
    assert learned(tmp_path, "identity", {}, "fastica", {}, x_dim=7).shape == (50, 4)


def test_empty_latents_are_kept_for_the_scores(tmp_path):
    latents = learned(tmp_path, "identity", {}, "spike_slab", {"extra_latents": 2})
    assert latents.shape == (50, 6)
    assert np.ptp(latents[:, 4:]) == 0


@pytest.mark.parametrize("stage1", ["identity", "flow"])
def test_a_dataset_that_is_constant_to_float32_is_a_failed_fit(tmp_path, stage1):
    settings = {"steps": 2} if stage1 == "flow" else {}
    with pytest.raises(UserError, match="latents.h5"):  # a failed fit leaves no latents
        learned(tmp_path, stage1, settings, "spike_slab", {}, m=40, activation="sigmoid")
    description = json.loads((tmp_path / "two" / "model.json").read_text())
    assert description["status"] == "failed"
    assert "independent directions" in description["reason"]
