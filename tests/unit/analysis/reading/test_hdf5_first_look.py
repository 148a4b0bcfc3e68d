"""The process that looks into an HDF5 file first: whatever becomes of it, the command goes on or names the file."""

import subprocess
import sys

import h5py
import pytest
from own_data_tables import numbers

from pdgmm.errors import UserError
from pdgmm.analysis.reading import hdf5_first_look
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.own_data import read
from pdgmm.store import hdf5

pytest.importorskip("resource")

OTHERWISE = """
import os, signal, sys
from pdgmm.analysis.reading import hdf5_first_look

def otherwise(path, array):
    {}

hdf5_first_look.LEAST_CPU_SECONDS = 1
hdf5_first_look._look = otherwise
sys.exit(hdf5_first_look.main())
"""


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["x"] = numbers()
    return tmp_path / "t.h5"


@pytest.fixture
def looks_otherwise(monkeypatch):
    def put(line):
        command = [sys.executable, "-c", OTHERWISE.format(line)]
        monkeypatch.setattr(hdf5_first_look, "COMMAND", command)

    return put


def test_a_look_without_end_is_ended(path, looks_otherwise):
    looks_otherwise("while True: pass")
    with pytest.raises(
        UserError, match=r"t\.h5: HDF5 cannot read it \(it goes through it without an end\): it is damaged"
    ):
        read(path)


def test_waiting_does_not_count(path, looks_otherwise):
    looks_otherwise("import time; time.sleep(1.5)")
    read(path)


@pytest.mark.parametrize("number", ["SIGSEGV", "SIGKILL", "SIGABRT", "SIGBUS"])
def test_a_crash_is_one_of_the_look_only(path, looks_otherwise, number):
    looks_otherwise(f"os.kill(os.getpid(), signal.{number})")
    with pytest.raises(
        UserError, match=rf"t\.h5: HDF5 cannot read it \(it crashes, {number}\): it is damaged"
    ):
        read(path)


def test_what_is_said_of_the_file_arrives_as_it_was_said(path, looks_otherwise):
    looks_otherwise("from pdgmm.errors import UserError; raise UserError(f'{path}: größe\\udcff')")
    with pytest.raises(UserError, match="t.h5: größe\udcff$"):
        read(path)


def test_names_for_which_there_is_no_memory_are_refused(tmp_path):
    path = tmp_path / "t.h5ad"
    with h5py.File(path, "w") as file:
        file["X"] = numbers()
        file.create_dataset("obs/_index", (600,), "S2000000000", chunks=(1,))
    with pytest.raises(UserError, match=r"t\.h5ad: the names in /obs/_index are damaged \(2000000000 bytes"):
        read(path)
    with h5py.File(path, "w") as file:
        file.create_dataset("X/data", data=numbers()[0])
        file.create_dataset("X/indices", data=[0, 1, 2])
        file.create_dataset("X/indptr", (2**50 + 1,), int, chunks=(8,))
        file["X"].attrs.update({"encoding-type": "csr_matrix", "shape": [2**50, 3]})
        file.create_dataset("obs/_index", (2**50,), h5py.string_dtype(), chunks=(8,))
    with pytest.raises(UserError, match=r"t\.h5ad cannot be read as an HDF5 file \(.*llocate"):
        read(path)


def test_a_mistake_of_ours_is_not_called_damage(path, looks_otherwise):
    looks_otherwise("raise AttributeError('ours')")
    with pytest.raises(RuntimeError, match="AttributeError: ours"):
        read(path)


def test_more_time_is_given_to_a_large_file_but_not_without_end(path, monkeypatch):
    limits = {}
    monkeypatch.setattr(
        hdf5_first_look.resource, "setrlimit", lambda which, limit: limits.update({which: limit})
    )
    for size, seconds in [(0, 20), (10**8, 120), (10**12, 600)]:
        monkeypatch.setattr("os.path.getsize", lambda path, size=size: size)
        hdf5_first_look._limit_processor_time(path)
        assert limits[hdf5_first_look.resource.RLIMIT_CPU][0] == seconds


@pytest.fixture
def counted(monkeypatch):
    looks, run = [], subprocess.run

    def count(command, **options):
        looks.append(command)
        return run(command, **options)

    monkeypatch.setattr("subprocess.run", count)
    return looks


def test_a_file_is_looked_at_once_until_it_changes(path, counted):
    read(path)
    read(path)
    assert len(counted) == 1
    with h5py.File(path, "w") as file:
        file["x"] = numbers(500)
    read(path, ReadOptions(array="x"))
    assert len(counted) == 2


def test_a_sealed_file_needs_no_look(tmp_path, counted):
    with hdf5.create(tmp_path / "t.h5", "dataset", {}) as file:
        hdf5.put(file, "train/x", numbers())
    read(tmp_path / "t.h5")
    assert counted == []


def test_what_lies_in_the_users_folder_is_not_run(path, tmp_path, monkeypatch):
    (tmp_path / "numpy.py").write_text("raise SystemExit('run by accident')")
    monkeypatch.chdir(tmp_path)
    read("t.h5")


def test_where_no_process_can_start_the_file_is_read_all_the_same(path, monkeypatch, caplog):
    monkeypatch.setattr(hdf5_first_look, "COMMAND", ["/nowhere/python"])
    assert len(read(path).values) == 600
    assert "read without a first look" in caplog.text
