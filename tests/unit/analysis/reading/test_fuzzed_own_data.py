"""A user's own files damaged at random: read, or refused by their name; never a trace, a crash or a loop."""

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from own_data_tables import frame, numbers, write_h5ad
from reading_process import ReadingProcess
from scipy import sparse

from fuzzing import FUZZED, damages

ROWS = 60
TABLE = np.where(numbers(ROWS, seed=2) > 0, numbers(ROWS), 0)
# Each starts a process that looks into the file first.
FUZZED_HDF5 = settings(FUZZED, max_examples=max(5, FUZZED.max_examples // 20))


def write_parquet(path):
    frame(ROWS).set_axis([f"s{k}" for k in range(ROWS)]).to_parquet(path)


def write_hdf5(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=TABLE, chunks=(16, 3), compression="gzip", shuffle=True)


FILES = {
    "t.csv": lambda path: frame(ROWS).to_csv(path, index=False),
    "t.csv.gz": lambda path: frame(ROWS).to_csv(path, index=False),
    "t.tsv": lambda path: frame(ROWS).to_csv(path, index=False, sep="\t"),
    "t.npy": lambda path: np.save(path, TABLE),
    "t.npz": lambda path: np.savez_compressed(path, x=TABLE),
    "t.parquet": write_parquet,
    "t.h5": write_hdf5,
    "dense.h5ad": lambda path: write_h5ad(path, TABLE),
    "rows.h5ad": lambda path: write_h5ad(path, sparse.csr_array(TABLE)),
    "columns.h5ad": lambda path: write_h5ad(path, sparse.csc_array(TABLE)),
}


@pytest.fixture(scope="module")
def process():
    with ReadingProcess() as process:
        yield process


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_refused_by_its_name(name, process, tmp_path, record_property):
    path = tmp_path / name
    FILES[name](path)
    whole, outcomes = path.read_bytes(), []
    assert process.outcome(path) == ("read", "")

    @(FUZZED_HDF5 if path.suffix.startswith(".h5") else FUZZED)
    @given(damages())
    def check(damage):
        path.write_bytes(damage(whole))
        outcome, words = process.outcome(path)
        assert outcome != "failed", words
        assert outcome == "read" or str(path) in words, words
        outcomes.append(outcome)

    check()
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


def test_a_crash_of_the_reading_process_is_seen_and_it_starts_again(process, tmp_path):
    write_hdf5(tmp_path / "t.h5")
    process._pool.submit(np.ctypeslib.ctypes.string_at, 0)
    assert process.outcome(tmp_path / "t.h5") == ("failed", "the interpreter crashed")
    assert process.outcome(tmp_path / "t.h5") == ("read", "")
