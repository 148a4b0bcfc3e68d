"""A disk that is full at every point of a checkpoint, of a model and of a dataset, and for a study, or read-only."""

import subprocess

import numpy as np
import pytest
import torch
from workflow_project import TINY, new_project

from pdgmm.errors import UserError
from pdgmm.fitting.checkpoints import load_checkpoint, save_checkpoint
from pdgmm.fitting.run import Run
from pdgmm.models.affine_model import AffineModel
from pdgmm.models.model_files import FittedModel, load_model, save_model
from pdgmm.store import hdf5

ROOMS = range(0, 160_000, 8_000)
"""Bytes left on the disk: less than any of the files needs, up to more than all of them need."""

STUDY_ROOMS = (0, 60_000, 250_000)
"""Not enough for Snakemake's own records, for the dataset, for what comes after it."""


class Checkpoint:
    """A checkpoint of a training, which goes on without one."""

    def __init__(self, folder):
        self.run = Run(seed=0, checkpoint=folder / "checkpoint.pt", checkpoint_key="k")

    def write(self, value):
        save_checkpoint(self.run, {"weights": torch.full((15_000,), float(value))})

    def read(self):
        return load_checkpoint(self.run)["weights"].numpy()


class Model:
    """Two files: new arrays beside an old description are noticed, and made again."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, value):
        model = AffineModel(np.zeros(90), np.full((90, 90), float(value)))
        save_model(self.folder, FittedModel(model, None, {}))

    def read(self):
        return load_model(self.folder).usable().weight


class Dataset:
    """An HDF5 file."""

    def __init__(self, folder):
        self.path = folder / "seed-0.h5"

    def write(self, value):
        rows = np.random.default_rng(value).normal(size=(4000, 4)).astype(np.float32)
        rows[:, 0] = value
        with hdf5.create(self.path, "dataset", {}) as file:
            hdf5.put(file, "train/x", rows)

    def read(self):
        with hdf5.opened(self.path, "dataset") as file:
            return file["train/x"][:, 0]


@pytest.mark.parametrize("kind", [Checkpoint, Model, Dataset])
def test_a_file_is_the_old_one_or_the_new_one(disk, kind, caplog, tally):
    stored = kind(disk.folder)
    stored.write(0)
    newest, refusals = 0, 0
    for value, room in enumerate(ROOMS, start=1):
        disk.leave(room)
        caplog.clear()
        said = ""
        try:
            stored.write(value)
        except UserError as error:
            said = str(error)
        said += caplog.text
        assert not said or "no space left to write" in said
        newest = newest if said else value
        refusals += bool(said)
        try:
            tally.add(np.all(stored.read() == newest))
        except UserError:
            tally.add(kind is Model and bool(said))
        assert not list(disk.folder.rglob("*.part"))
    assert tally.lost == 0
    assert 0 < refusals < len(ROOMS), "the disk was always full, or never"
    disk.leave(None)
    stored.write(100)
    assert np.all(stored.read() == 100)


@pytest.mark.chaos
def test_a_study_goes_on_when_there_is_room(disk, finished_once, tally):
    project = new_project(disk.folder / "project", TINY)
    expected = finished_once.files("results/*/seed-0/*/scores.json") | finished_once.files("datasets/*/*.h5")
    for room in (*STUDY_ROOMS, None):
        disk.leave(room)
        code, output = project.run(check=False)
        assert (code == 0) == (room is None), output
        assert room is None or "no space left" in output.lower(), output
        for path, content in expected.items():
            if room is None or (project.folder / path).exists():
                tally.add((project.folder / path).read_bytes() == content)
    assert tally.lost == 0
    assert not project.planned()


@pytest.mark.chaos
def test_a_read_only_disk_is_named_and_the_run_goes_on_when_it_is_writable(disk, fresh, finished_once, tally):
    (fresh.folder / "datasets").symlink_to(disk.folder)
    subprocess.run(["mount", "-o", "remount,ro", str(disk.folder)], check=True)
    code, output = fresh.run(check=False)
    assert code != 0
    assert "datasets" in output
    assert "ead-only file system" in output, output
    assert "Traceback" not in output, output
    subprocess.run(["mount", "-o", "remount,rw", str(disk.folder)], check=True)
    fresh.run("--until", "generate_dataset")
    tally.add(fresh.files("datasets/*/seed-0.h5") == finished_once.files("datasets/*/seed-0.h5"))
    assert tally.lost == 0
