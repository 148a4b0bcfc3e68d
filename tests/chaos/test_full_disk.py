"""A disk that is full at every point of a checkpoint, of a model and of a dataset."""

import logging
import shutil

import numpy as np
import pytest
import torch

from pdgmm.errors import UserError
from pdgmm.fitting.checkpoints import load_checkpoint, save_checkpoint
from pdgmm.methods.base import Run
from pdgmm.models.affine_model import AffineEncoder
from pdgmm.models.model_files import FittedModel, load_model, save_model
from pdgmm.store import hdf5

ROOMS = range(0, 160_000, 8_000)
"""Bytes left on the disk: less than any of the files needs, up to more than all of them need."""


def half_written(folder):
    return list(folder.rglob("*.part"))


def state(step):
    return {"step": step, "weights": torch.full((15_000,), float(step))}


def test_a_checkpoint_is_the_old_one_or_the_new_one_and_training_goes_on(small_disk, caplog, tally):
    run = Run(seed=0, checkpoint=small_disk.folder / "checkpoint.pt", checkpoint_key="k")
    save_checkpoint(run, state(1))
    found = []
    for step, room in enumerate(ROOMS, start=2):
        small_disk.leave(room)
        before = load_checkpoint(run)["step"]
        with caplog.at_level(logging.WARNING):
            caplog.clear()
            save_checkpoint(run, state(step))
        read = load_checkpoint(run)
        wanted = state(before if caplog.records else step)
        tally.add(
            read is not None
            and read["step"] == wanted["step"]
            and torch.equal(read["weights"], wanted["weights"])
        )
        assert all("no space left to write" in record.message for record in caplog.records)
        assert half_written(small_disk.folder) == []
        found.append(bool(caplog.records))
    assert tally.lost == 0
    assert set(found) == {True, False}, "the disk was never full, or always"


def model(value):
    return FittedModel(AffineEncoder(np.zeros(90), np.full((90, 90), value)), None, {"value": value})


def is_whole(read, values):
    """Whether a model is one of those with the values."""
    value = read.notes["value"]
    return value in values and np.array_equal(read.encoder.weight, model(value).encoder.weight)


def test_a_model_is_never_another_one(small_disk, tally):
    save_model(small_disk.folder, model(0.0))
    refusals = 0
    for number, room in enumerate(ROOMS, start=1):
        small_disk.leave(room)
        try:
            save_model(small_disk.folder, model(float(number)))
        except UserError as error:
            message = str(error)
            assert f"no space left to write {small_disk.folder}" in message
            assert "make room" in message
            refusals += 1
            try:
                tally.add(is_whole(load_model(small_disk.folder), range(number)))
            except UserError:
                # New arrays beside an old description: noticed, and made again.
                tally.add(True)
        else:
            tally.add(is_whole(load_model(small_disk.folder), [float(number)]))
        assert half_written(small_disk.folder) == []
    assert tally.lost == 0
    assert 0 < refusals < len(ROOMS), "the disk was always full, or never"
    small_disk.make_room()
    save_model(small_disk.folder, model(0.5))
    assert load_model(small_disk.folder).notes == {"value": 0.5}


def rows_of(value):
    return np.random.default_rng(value).normal(size=(4000, 4)).astype(np.float32)


def write_dataset(path, value):
    with hdf5.create(path, "dataset", {"value": value}) as file:
        hdf5.put(file, "train/x", rows_of(value))


def test_a_dataset_is_the_old_one_or_the_new_one(small_disk, tally):
    path = small_disk.folder / "seed-0.h5"
    write_dataset(path, 0)
    refusals, newest = 0, 0
    for value, room in enumerate(ROOMS, start=1):
        small_disk.leave(room)
        try:
            write_dataset(path, value)
            newest = value
        except UserError as error:
            message = str(error)
            assert f"no space left to write {path}" in message
            refusals += 1
        with hdf5.opened(path, "dataset") as file:
            tally.add(
                hdf5.about(file, "value") == newest
                and np.array_equal(hdf5.rows(file, "train/x")[()], rows_of(newest))
            )
        assert half_written(small_disk.folder) == []
    assert tally.lost == 0
    assert 0 < refusals < len(ROOMS), "the disk was always full, or never"


@pytest.mark.slow
def test_a_study_goes_on_when_there_is_room_for_its_results(finished, small_disk, tally):
    scores = finished.files("results/*/seed-0/*/scores.json")
    (folder,) = finished.folder.glob("results/*/seed-0/autoencoder+lagrangian")
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    # The table too, so that what it is made of is wanted.
    shutil.rmtree(finished.folder / "results/tables")
    folder.symlink_to(small_disk.folder)
    small_disk.leave(0)
    code, output = finished.run(check=False)
    assert code != 0
    assert "no space left to write" in output
    assert "Traceback" not in output
    small_disk.make_room()
    finished.run()
    tally.add(finished.files("results/*/seed-0/*/scores.json") == scores)
    assert tally.lost == 0
