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


def test_a_flipped_bit_is_noticed(dataset):
    with h5py.File(dataset) as file:
        place = file["train/x"].id.get_chunk_info(1).byte_offset
    content = bytearray(dataset.read_bytes())
    content[place + 100] ^= 4
    dataset.write_bytes(content)
    with pytest.raises(UserError, match="d.h5 is damaged .*rm '"), hdf5.opened(dataset, "dataset"):
        pass


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
        with pytest.raises(UserError, match="d.h5 is damaged"), hdf5.opened(dataset, "dataset"):
            pass
    dataset.write_bytes(content + b"more")
    with pytest.raises(UserError, match="d.h5 is damaged"), hdf5.opened(dataset, "dataset"):
        pass


def test_any_hdf5_program_reads_a_sealed_file(dataset):
    with h5py.File(dataset) as file:
        assert file["train/x"].shape == (9000, 4)
        assert file.attrs["format"] == hdf5.FORMAT
    assert is_sealed(dataset)


def test_a_file_without_a_seal_is_named(tmp_path):
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file.attrs["format"] = hdf5.FORMAT
    assert not is_sealed(path)
    with pytest.raises(UserError, match="another program, or of an earlier"), hdf5.opened(path, "dataset"):
        pass


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        ("format", "other", "another program"),
        ("format_version", 99, "format version 99, this program reads 2"),
        ("kind", "latents", "expected 'dataset'"),
    ],
)
def test_a_foreign_file_is_named(dataset, attribute, value, words):
    with h5py.File(dataset, "a") as file:
        file.attrs[attribute] = value
    seal(dataset)
    with pytest.raises(UserError, match=words), hdf5.opened(dataset, "dataset"):
        pass


@pytest.mark.parametrize("code", [errno.EACCES, errno.EMFILE, errno.ESTALE, errno.ENOLCK, errno.EAGAIN])
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


def test_a_file_that_another_process_has_locked_can_be_read(dataset):
    with dataset.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with hdf5.opened(dataset, "dataset") as data:
            assert "train/x" in data


def test_a_folder_that_may_not_be_entered_is_no_damage(dataset, monkeypatch):
    def refuse(_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(type(dataset), "exists", refuse)
    with (
        pytest.raises(UserError, match="cannot be read: Permission denied"),
        hdf5.opened(dataset, "dataset"),
    ):
        pass
