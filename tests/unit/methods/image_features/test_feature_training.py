"""The training of networks that read images."""

import json

import numpy as np
import pytest
import torch
from pdgmm.models.image_model import ImageEncoder
from pdgmm.steps.extract_features import extract_features

from pdgmm.errors import UserError
from pdgmm.fitting import training_loop as training
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.image_features.keypoints import Keypoints
from pdgmm.methods.image_features.reconstruction_learner import FALL, ReconstructionLearner
from pdgmm.steps.generate import generate_dataset
from pdgmm.steps.train import FitOptions, train_features
from pdgmm.store import hdf5

COUNTS = {"train": 300, "test": 60, "unmasked": 20}
QUICK = {"steps": 20, "batch_size": 16, "channels": 8, "evaluate_every": 5}


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    path = tmp_path_factory.mktemp("images") / "seed-0.h5"
    generate_dataset("balls", json.dumps({"size": 32, "samples": COUNTS}), 0, path)
    return path


def learner(patience=0, falls=1):
    torch.manual_seed(0)
    encoder = ImageEncoder("keypoints", [8, 8, 3], {"points": 2, "channels": 4, "blob": 0.1})
    held_out = torch.full((4, 192), 255.0)
    return ReconstructionLearner(
        encoder, held_out, learning_rate=1e-3, evaluate_every=1, patience=patience, falls=falls
    )


def test_training_lowers_the_error_below_that_of_one_fixed_image(images):
    run = Run(seed=0)
    Keypoints(**{**QUICK, "steps": 80}).fit(Samples.from_file(images, 4), run)
    assert run.notes["held_out_error"] < 0.9 * run.notes["mean_image_error"]
    assert run.notes["held_out_error"] == min(error for _, error in run.notes["held_out_errors"])


def test_the_rate_falls_where_the_error_does_not_and_then_training_ends(monkeypatch):
    one = learner(patience=0, falls=1)
    monkeypatch.setattr("pdgmm.methods.image_features.reconstruction_learner.mse_loss", _constant_error)
    rates = []
    for _ in range(4):
        one.step(torch.full((2, 192), 255.0))
        rates.append(one._optimizer.param_groups[0]["lr"])
        if one.finished:
            break
    assert one.finished
    assert min(rates) == pytest.approx(1e-3 * FALL**2)


def test_without_patience_all_steps_are_taken():
    one = learner(patience=None)
    for _ in range(5):
        one.step(torch.full((2, 192), 255.0))
    assert not one.finished


def test_a_training_that_finished_early_stops(images, monkeypatch):
    monkeypatch.setattr(ReconstructionLearner, "finished", property(lambda self: self._step >= 3))
    run = Run(seed=0)
    Keypoints(**QUICK).fit(Samples.from_file(images, 4), run)
    assert run.history[-1]["step"] == 3


def test_an_interrupted_training_ends_in_the_same_bits(images, tmp_path, monkeypatch):
    data = Samples.from_file(images, 4)
    settings = Keypoints(**QUICK)
    whole = settings.fit(data, Run(seed=3)).tensors()
    monkeypatch.setenv(training.CHECKPOINT_EVERY_STEPS, "7")
    run = Run(seed=3, checkpoint=tmp_path / "c.pt", checkpoint_key="k")
    step = ReconstructionLearner.step

    def interrupted(self, batch):
        if self._step == 16:
            raise KeyboardInterrupt
        return step(self, batch)

    monkeypatch.setattr(ReconstructionLearner, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        settings.fit(data, run)
    monkeypatch.setattr(ReconstructionLearner, "step", step)
    resumed = settings.fit(data, Run(seed=3, checkpoint=tmp_path / "c.pt", checkpoint_key="k")).tensors()
    for name, array in whole.items():
        np.testing.assert_array_equal(resumed[name], array)


def test_features_of_numbers_are_refused():
    with pytest.raises(UserError, match="images only"):
        Keypoints(**QUICK).fit(Samples(np.zeros((10, 4)), 2), Run(seed=0))


def test_features_are_a_dataset_with_everything_but_the_images(images, tmp_path):
    train_features("keypoints", json.dumps(QUICK), images, 0, tmp_path / "net", FitOptions(device="cpu"))
    out = tmp_path / "features.h5"
    extract_features(images, tmp_path / "net", "keypoints", "cpu", 1, out)
    with hdf5.opened(images, "dataset") as before, hdf5.opened(out, "dataset") as after:
        assert after["train/x"].shape == (300, 12)
        for split in COUNTS:
            for name in ("z", "component", "apart"):
                np.testing.assert_array_equal(after[f"{split}/{name}"], before[f"{split}/{name}"])
        np.testing.assert_array_equal(after["blocks"], before["blocks"])
        assert hdf5.about(after, "settings")["features"] == "keypoints"
        assert "image_shape" not in hdf5.about(after, "facts")


def test_an_extraction_that_breaks_off_leaves_no_file(images, tmp_path, monkeypatch):
    train_features("keypoints", json.dumps(QUICK), images, 0, tmp_path / "net", FitOptions(device="cpu"))
    monkeypatch.setattr("pdgmm.steps.extract_features.BLOCK_ROWS", 100)
    encode, calls = ImageEncoder.encode, []

    def breaks_off(self, rows):
        calls.append(len(rows))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return encode(self, rows)

    monkeypatch.setattr(ImageEncoder, "encode", breaks_off)
    folder = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        extract_features(images, tmp_path / "net", "keypoints", "cpu", 1, folder / "features.h5")
    assert not list(folder.glob("*.h5"))


def _constant_error(drawn, images, reduction="mean"):
    return (drawn * 0).sum() + (1.0 if reduction == "mean" else float(images.numel()))
