"""HDF5 files: whole or not there, and checked when read."""

import errno
import os

import h5py
import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.store import hdf5


@pytest.fixture
def dataset(tmp_path):
    path = tmp_path / "d.h5"
    with hdf5.create(path, "dataset", {"seed": 3}) as file:
        hdf5.put(file, "train/x", np.random.default_rng(0).normal(size=(9000, 4)).astype(np.float32))
    return path


def test_round_trip(dataset):
    with hdf5.opened(dataset, "dataset") as file:
        assert hdf5.about(file, "seed") == 3
        assert file["train/x"].shape == (9000, 4)
        assert file["train/x"].fletcher32


def test_the_same_content_gives_the_same_bytes(dataset, tmp_path):
    with hdf5.create(tmp_path / "e.h5", "dataset", {"seed": 3}) as file:
        hdf5.put(file, "train/x", np.random.default_rng(0).normal(size=(9000, 4)).astype(np.float32))
    assert (tmp_path / "e.h5").read_bytes() == dataset.read_bytes()


def test_a_failure_while_writing_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), hdf5.create(tmp_path / "d.h5", "dataset", {}):
        1 / 0
    assert list(tmp_path.iterdir()) == []


def test_a_failure_while_writing_keeps_the_old_file(dataset):
    before = dataset.read_bytes()
    with pytest.raises(ZeroDivisionError), hdf5.create(dataset, "dataset", {}):
        1 / 0
    assert dataset.read_bytes() == before


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errno.ENOSPC, "no space left to write .*d.h5"),
        (errno.EACCES, "permission denied.*the folder"),
        (errno.EROFS, "d.h5: it is on a read-only file system"),
    ],
)
def test_a_full_disk_and_a_closed_folder_are_named(tmp_path, error, words):
    with pytest.raises(UserError, match=words), hdf5.create(tmp_path / "d.h5", "dataset", {}):
        raise OSError(error, "simulated")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_named(tmp_path):
    with (
        pytest.raises(UserError, match="none.h5 does not exist"),
        hdf5.opened(tmp_path / "none.h5", "dataset"),
    ):
        pass


@pytest.mark.parametrize("keep", [0, 10, 1000, 50_000])
def test_a_truncated_file_is_named_with_the_fix(dataset, keep):
    dataset.write_bytes(dataset.read_bytes()[:keep])
    with pytest.raises(UserError, match=r"d.h5.*rm '"), hdf5.opened(dataset, "dataset") as file:
        file["train/x"][()]


def test_a_flipped_bit_is_noticed_when_it_is_read(dataset):
    with h5py.File(dataset) as file:
        place = file["train/x"].id.get_chunk_info(1).byte_offset
    content = bytearray(dataset.read_bytes())
    content[place + 100] ^= 4
    dataset.write_bytes(content)
    with pytest.raises(UserError, match="damaged"), hdf5.opened(dataset, "dataset") as file:
        file["train/x"][()]


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        ("format", "other", "another program"),
        ("format_version", 99, "format version 99, this program reads 1"),
        ("complete", False, "not written to its end"),
        ("kind", "latents", "expected 'dataset'"),
    ],
)
def test_a_foreign_file_is_named(dataset, attribute, value, words):
    with h5py.File(dataset, "a") as file:
        file.attrs[attribute] = value
    with pytest.raises(UserError, match=words), hdf5.opened(dataset, "dataset"):
        pass


@pytest.mark.parametrize("code", [errno.EACCES, errno.EMFILE, errno.ESTALE])
def test_an_error_of_the_system_is_not_taken_for_a_damaged_file(dataset, monkeypatch, code):
    def refuse(*_, **__):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(hdf5.h5py, "File", refuse)
    with (
        pytest.raises(UserError, match="cannot be read.*may well be whole") as raised,
        hdf5.opened(dataset, "dataset"),
    ):
        pass
    assert "rm" not in str(raised.value).split()
