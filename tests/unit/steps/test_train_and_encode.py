"""Chains of methods as the workflow makes them: fit, encode, fit to the codes, encode."""

import json
import logging
from unittest.mock import Mock

import numpy as np
import pytest
import torch

from pdgmm.fitting import training_loop
from pdgmm.fitting.samples import Samples
from pdgmm.models.affine_model import AffineModel, IdentityModel
from pdgmm.models.model_files import FittedModel, load_model, save_model
from pdgmm.models.network_model import CodingNetwork, NetworkModel
from pdgmm.steps.encode import encode
from pdgmm.steps.generate import generate_dataset
from pdgmm.steps.train import FitOptions, train
from pdgmm.store import hdf5

SMALL = {"widths": [2], "steps": 5, "batch_size": 64}
OPTIONS = FitOptions(device="cpu")
HELD_OUT = {"test", "unmasked", "independent"}


@pytest.fixture
def make(tmp_path):
    """``make(seed, generator, **settings)``: the path of a small dataset."""

    def dataset(seed=0, generator="pdgmm", **settings):
        path = tmp_path / generator / f"seed-{seed}.h5"
        counts = {"train": 400, "test": 50, "unmasked": 40}
        if generator == "pdgmm":
            settings, counts = {"n": 4, "m": 2} | settings, counts | {"independent": 30}
        generate_dataset(generator, json.dumps(settings | {"samples": counts}), seed, path)
        return path

    return dataset


def fit_chain(dataset, root, *parts, seed=0):
    """Fit ``(method, settings)`` one after the other; the folder of the last, with all codes beside its model."""
    folder = None
    for method, settings in parts:
        before, folder = folder, root / (f"{folder.name}+{method}" if folder else method)
        code = before / "code.h5" if before else None
        train(method, json.dumps(settings), dataset, seed, folder, OPTIONS, code=code)
        encode(folder, dataset, code, True, folder / "code.h5")
        encode(folder, dataset, before / "latents.h5" if before else None, False, folder / "latents.h5")
    return folder


def read(path):
    """Status, reason, and the arrays of a file of codes."""
    with hdf5.opened(path, "latents") as file:
        arrays = {f"{group}/{name}": file[group][name][()] for group in file for name in file[group]}
        return hdf5.about(file, "status"), hdf5.about(file, "reason"), arrays


def x_of(dataset, split):
    with hdf5.opened(dataset, "dataset") as file:
        return file[f"{split}/x"][()]


def test_held_out_splits_and_the_training_split_are_encoded_by_the_whole_chain(make, tmp_path):
    dataset = make()
    last = fit_chain(
        dataset, tmp_path, ("autoencoder", SMALL), ("spike_slab", {"starts": 1, "supports": True})
    )
    first, second = (load_model(folder).usable() for folder in (tmp_path / "autoencoder", last))
    claims = load_model(last).claims
    for name, splits in (("latents.h5", HELD_OUT), ("code.h5", {"train"})):
        status, reason, arrays = read(last / name)
        assert (status, reason) == ("ok", "")
        assert {path for path in arrays if path.endswith("z_hat")} == {f"{split}/z_hat" for split in splits}
        for split in splits:
            expected = second.encode(first.encode(x_of(dataset, split)))
            np.testing.assert_array_equal(arrays[f"{split}/z_hat"], expected)
        assert set(claims) == {"supports", "support_weights"}
        for claim, values in claims.items():
            np.testing.assert_array_equal(arrays[f"claims/{claim}"], values)


@pytest.mark.parametrize(
    ("parts", "generator", "settings", "latents"),
    [
        ([("autoencoder", SMALL | {"extra_latents": 2}), ("lagrangian", SMALL)], "pdgmm", {}, 6),
        ([("autoencoder", SMALL | {"extra_latents": 2}), ("fastica", {})], "pdgmm", {}, 6),
        ([("fastica", {})], "pdgmm", {"x_dim": 7}, 4),
        ([("identity", {}), ("fastica", {})], "pdgmm", {"x_dim": 7}, 4),
        ([("keypoints", {"steps": 5, "channels": 8}), ("fastica", {})], "balls", {"size": 16}, 4),
        ([("spike_slab", {"extra_latents": 2})], "pdgmm", {}, 6),
    ],
)
def test_a_part_is_asked_for_as_many_latents_as_the_one_before_learned(
    make, tmp_path, parts, generator, settings, latents
):
    last = fit_chain(make(generator=generator, **settings), tmp_path, *parts)
    assert read(last / "latents.h5")[2]["test/z_hat"].shape == (50, latents)
    assert load_model(last).notes["learned_latents"] == latents


def test_a_fit_leaves_its_history_its_cost_and_no_checkpoint(make, tmp_path, monkeypatch):
    monkeypatch.setenv(training_loop.CHECKPOINT_EVERY_STEPS, "2")
    train("autoencoder", json.dumps(SMALL), make(), 0, tmp_path / "out", OPTIONS)
    header, *rows = (tmp_path / "out/history.csv").read_text().splitlines()
    assert header.split(",") == ["step", "loss", "reconstruction", "half_norm"]
    assert [row.split(",")[0] for row in rows] == ["1", "2", "3", "4", "5"]
    notes = load_model(tmp_path / "out").notes
    assert notes["seconds"] > 0
    assert (notes["device"], notes["threads"]) == ("cpu", 1)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "history.csv",
        "model.json",
        "model.safetensors",
    }


@pytest.mark.parametrize("first", [("identity", {}), ("flow", {"steps": 2})])
def test_a_failed_fit_leaves_status_and_reason_down_the_chain(make, tmp_path, first):
    """The observations are constant to float32."""
    last = fit_chain(make(m=40, activation="sigmoid"), tmp_path, first, ("spike_slab", {}), ("fastica", {}))
    for folder in (last, tmp_path / f"{first[0]}+spike_slab"):
        for name in ("latents.h5", "code.h5"):
            status, reason, arrays = read(folder / name)
            assert (status, arrays) == ("failed", {})
            assert "independent directions" in reason
    failure = load_model(last).failure
    assert failure.status == "failed"
    assert failure.reason.startswith(f"{first[0]}+spike_slab: ")


def test_codes_that_are_not_finite_are_a_failed_fit(make, tmp_path):
    save_model(tmp_path / "m", FittedModel(AffineModel(np.zeros(4), np.full((4, 4), np.nan)), None, {}))
    encode(tmp_path / "m", make(), None, False, tmp_path / "latents.h5")
    status, reason, arrays = read(tmp_path / "latents.h5")
    assert (status, arrays) == ("failed", {})
    assert "not finite" in reason


class Shifted(CodingNetwork):
    """Adds ``u``; in small blocks."""

    sees = ("u",)
    batch_rows = 1

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))

    def encode(self, x, u):
        return self.scale * x + u[:, None]


def test_side_variables_of_a_chain_are_those_of_the_split_block_by_block(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    with (
        hdf5.create(tmp_path / "d.h5", "dataset", {"n_latents": 2}) as data,
        hdf5.create(tmp_path / "before.h5", "latents", {"status": "ok", "reason": ""}) as codes,
    ):
        for split, count in (("train", 30), ("test", 21)):
            hdf5.put(data, f"{split}/x", rng.normal(size=(count, 2)), hdf5.OBSERVED)
            hdf5.put(data, f"{split}/u", rng.integers(9, size=count), hdf5.OBSERVED)
            hdf5.put(codes, f"{split}/z_hat", rng.normal(size=(count, 2)).astype(np.float32))
    fitted = FittedModel(NetworkModel(Shifted), None, {})
    monkeypatch.setattr("pdgmm.steps.encode.load_model", lambda folder: fitted)
    for training, split in ((False, "test"), (True, "train")):
        encode(tmp_path, tmp_path / "d.h5", tmp_path / "before.h5", training, tmp_path / "out.h5")
        with hdf5.opened(tmp_path / "d.h5", "dataset") as data:
            expected = read(tmp_path / "before.h5")[2][f"{split}/z_hat"] + data[f"{split}/u"][()][:, None]
        found = read(tmp_path / "out.h5")[2]
        assert set(found) == {f"{split}/z_hat"}
        np.testing.assert_allclose(found[f"{split}/z_hat"], expected, rtol=1e-6)


def test_an_encoding_that_breaks_off_leaves_no_file(make, tmp_path, monkeypatch):
    dataset = make()
    save_model(tmp_path / "m", FittedModel(IdentityModel(), None, {}))
    monkeypatch.setattr(IdentityModel, "block_rows", 30)
    blocks = [np.zeros((30, 4), np.float32), KeyboardInterrupt]
    monkeypatch.setattr(IdentityModel, "encode", Mock(side_effect=blocks))
    with pytest.raises(KeyboardInterrupt):
        encode(tmp_path / "m", dataset, None, False, tmp_path / "out" / "latents.h5")
    assert list((tmp_path / "out").iterdir()) == []


class Crash(Exception):
    """Stands for a kill."""


@pytest.mark.parametrize(("changed", "said"), [(False, "resuming"), (True, "another fit")])
def test_a_checkpoint_is_resumed_for_the_same_codes_only(make, tmp_path, monkeypatch, caplog, changed, said):
    monkeypatch.setenv(training_loop.CHECKPOINT_EVERY_STEPS, "2")
    dataset = make()
    codes = [
        fit_chain(dataset, tmp_path / str(seed), ("flow", {"steps": 1}), seed=seed) / "code.h5"
        for seed in (0, 1)
    ]
    batches = Samples.batches

    def second(code):
        train("lagrangian", json.dumps(SMALL), dataset, 0, tmp_path / "second", OPTIONS, code=code)

    def killed(*arguments, **options):
        for number, batch in enumerate(batches(*arguments, **options)):
            if number == 3:
                raise Crash
            yield batch

    monkeypatch.setattr(Samples, "batches", killed)
    with pytest.raises(Crash):
        second(codes[0])
    monkeypatch.setattr(Samples, "batches", batches)
    with caplog.at_level(logging.INFO):
        second(codes[1 if changed else 0])
    assert said in caplog.text
    assert not (tmp_path / "second" / "checkpoint.pt").exists()
