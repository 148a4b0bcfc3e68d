"""HDF5 files: whole or not there, and checked when read."""

import errno
import fcntl
import os

import h5py
import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.store import hdf5
from pdgmm.store.seal import is_sealed, seal


def write(path):
    with hdf5.create(path, "dataset", {"seed": 3}) as file:
        x = np.random.default_rng(0).normal(size=(9000, 4)).astype(np.float32)
        hdf5.put(file, "train/x", x, role="observed")
        hdf5.put(file, "masks", np.zeros((0, 4)))
    return path


@pytest.fixture
def dataset(tmp_path):
    return write(tmp_path / "d.h5")


def refusal(path):
    """What is said of a file that cannot be read."""
    with pytest.raises(UserError) as raised, hdf5.opened(path, "dataset") as file:
        file["train/x"][()]
    assert str(path) in str(raised.value)
    return str(raised.value)


def test_round_trip(dataset):
    with hdf5.opened(dataset, "dataset") as file:
        assert hdf5.about(file, "seed") == 3
        assert file["train/x"].shape == (9000, 4)
        assert hdf5.role(file["train/x"]) == "observed"
        assert hdf5.role(file["masks"]) is None


def test_the_same_content_gives_the_same_bytes(dataset, tmp_path):
    assert write(tmp_path / "e.h5").read_bytes() == dataset.read_bytes()


@pytest.mark.parametrize("keep", [0, 10, 1000, 50_000])
def test_a_truncated_file_is_named_with_the_fix(dataset, keep):
    dataset.write_bytes(dataset.read_bytes()[:keep])
    assert "rm '" in refusal(dataset)


def test_no_change_gets_as_far_as_hdf5(dataset, monkeypatch):
    # HDF5 may never come back from a damaged file: one flipped bit in the heap of its texts is enough.
    content = dataset.read_bytes()

    def unwanted(*_, **__):
        raise AssertionError("HDF5 was asked")

    monkeypatch.setattr(hdf5.h5py, "File", unwanted)
    for place in (0, 60, 100, 511, 512, 700, 2000, len(content) - 1):
        damaged = bytearray(content)
        damaged[place] ^= 1
        dataset.write_bytes(damaged)
        assert "is damaged" in refusal(dataset)
    dataset.write_bytes(content + b"more")
    assert "is damaged" in refusal(dataset)


def test_any_hdf5_program_reads_a_sealed_file(dataset):
    with h5py.File(dataset) as file:
        assert file["train/x"].shape == (9000, 4)
        assert file.attrs["format"] == hdf5.FORMAT
    assert is_sealed(dataset)
    dataset.unlink()
    assert "does not exist" in refusal(dataset)


def test_a_file_without_a_seal_is_named(tmp_path):
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file.attrs["format"] = hdf5.FORMAT
    assert not is_sealed(path)
    assert "another program" in refusal(path)


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        ("format", "other", "another program"),
        ("format_version", 99, "99"),
        ("kind", "latents", "expected 'dataset'"),
    ],
)
def test_a_foreign_file_is_named(dataset, attribute, value, words):
    with h5py.File(dataset, "a") as file:
        file.attrs[attribute] = value
    seal(dataset)
    assert words in refusal(dataset)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EMFILE, errno.ESTALE, errno.ENOLCK, errno.EAGAIN])
@pytest.mark.parametrize("refused", ["h5py.File", "pathlib.Path.exists"])
def test_an_error_of_the_system_is_not_taken_for_a_damaged_file(dataset, monkeypatch, code, refused):
    def refuse(*_, **__):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(refused, refuse)
    said = refusal(dataset)
    assert "cannot be read" in said
    assert "rm" not in said.split()


def test_a_file_that_another_process_has_locked_can_be_read(dataset):
    with dataset.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with hdf5.opened(dataset, "dataset") as data:
            assert "train/x" in data
