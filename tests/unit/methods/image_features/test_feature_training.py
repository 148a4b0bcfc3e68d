"""The training of networks that read images."""

import json

import numpy as np
import pytest
import torch

from pdgmm.errors import UserError
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.image_features.image_features import Keypoints
from pdgmm.methods.image_features.image_networks import KeypointNetwork
from pdgmm.methods.image_features.image_training import FALL, ReconstructionLearner
from pdgmm.steps.generate import generate_dataset

QUICK = {"steps": 20, "batch_size": 16, "channels": 8, "evaluate_every": 5}
BATCH = {"x": torch.full((2, 192), 255.0)}


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    path = tmp_path_factory.mktemp("images") / "seed-0.h5"
    settings = {"size": 32, "samples": {"train": 300, "test": 60, "unmasked": 20}}
    generate_dataset("balls", json.dumps(settings), 0, path)
    return Samples.from_file(path)


def learner(patience):
    torch.manual_seed(0)
    network = KeypointNetwork([8, 8, 3], points=2, channels=4, blob=0.1)
    held_out = torch.full((4, 192), 255.0)
    settings = Keypoints(learning_rate=1e-3, evaluate_every=1, patience=patience, falls=1)
    return ReconstructionLearner(network, held_out, settings)


def test_training_lowers_the_error_below_that_of_one_fixed_image(images):
    run = Run(seed=0)
    Keypoints(**QUICK | {"steps": 80}).fit(images, run)
    assert run.notes["held_out_error"] < 0.9 * run.notes["mean_image_error"]
    assert run.notes["held_out_error"] == min(error for _, error in run.notes["held_out_errors"])


def test_the_rate_falls_where_the_error_does_not_and_then_training_ends(monkeypatch):
    def constant_error(drawn, images, reduction="mean"):
        return (drawn * 0).sum() + (1.0 if reduction == "mean" else float(images.numel()))

    monkeypatch.setattr("pdgmm.methods.image_features.image_training.mse_loss", constant_error)
    one = learner(patience=0)
    rates = []
    while not one.finished and len(rates) < 4:
        one.step(BATCH)
        rates.append(one._optimizer.param_groups[0]["lr"])
    assert one.finished
    assert min(rates) == pytest.approx(1e-3 * FALL**2)


def test_without_patience_all_steps_are_taken():
    one = learner(patience=None)
    for _ in range(5):
        one.step(BATCH)
    assert not one.finished


def test_a_training_that_finished_early_stops(images, monkeypatch):
    monkeypatch.setattr(ReconstructionLearner, "finished", property(lambda self: self._step >= 3))
    run = Run(seed=0)
    Keypoints(**QUICK).fit(images, run)
    assert run.history[-1]["step"] == 3


def test_features_of_numbers_are_refused():
    with pytest.raises(UserError, match="images only"):
        Keypoints(**QUICK).fit(Samples(np.zeros((10, 4)), 2), Run(seed=0))


def test_there_are_points_to_spare(images):
    code = Keypoints(**QUICK | {"steps": 1}).fit(images, Run(seed=0)).model.encode(images.array(3))
    assert code.shape == (3, 2 * (images.n_latents + 2))
