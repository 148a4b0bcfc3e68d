"""Damaged, odd and forbidden files of a user's own: refused by their name, whatever the library raises."""

from dataclasses import replace

import h5py
import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from pyarrow import parquet
from small_tables import frame, numbers

from fuzzing import FUZZED, damages
from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading import own_data
from pdgmm.analysis.reading.own_data import open_source, read
from pdgmm.errors import UserError

SOME = settings(FUZZED, max_examples=max(10, FUZZED.max_examples // 4))


def write_hdf5(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=numbers(60), chunks=(16, 3), compression="gzip")


WRITERS = {
    "t.csv": lambda path: frame(60).to_csv(path, index=False),
    "t.csv.gz": lambda path: frame(60).to_csv(path, index=False),
    "t.tsv": lambda path: frame(60).to_csv(path, index=False, sep="\t"),
    "t.npy": lambda path: np.save(path, numbers(60)),
    "t.npz": lambda path: np.savez_compressed(path, x=numbers(60)),
    "t.parquet": lambda path: frame(60).set_axis([f"s{k}" for k in range(60)]).to_parquet(path),
    "t.h5": write_hdf5,
}


def refused(path, words=""):
    with pytest.raises(UserError, match=rf"{path.name}.*{words}") as raised:
        read(path)
    return str(raised.value)


# Not HDF5: damaged at random it may crash or not end, and nothing here can notice that.
@pytest.mark.parametrize("name", [name for name in WRITERS if name != "t.h5"])
def test_a_file_damaged_at_random_is_read_or_refused_by_its_name(name, tmp_path, record_property):
    path, outcomes = tmp_path / name, []
    WRITERS[name](path)
    whole = path.read_bytes()
    read(path)

    @SOME
    @given(damages())
    def check(damage):
        path.write_bytes(damage(whole))
        words = str(path)
        try:
            read(path)
            outcomes.append("read")
        except UserError as error:
            words = str(error)
            outcomes.append("refused")
        assert str(path) in words

    check()
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


@pytest.mark.parametrize("name", [name for name in WRITERS if name not in ("t.csv", "t.tsv")])
def test_a_file_that_was_not_written_to_its_end_is_named(tmp_path, name):
    WRITERS[name](tmp_path / name)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    refused(tmp_path / name, "cannot be read as")


@pytest.mark.parametrize("name", [name for name in WRITERS if not name.endswith("sv")])
def test_a_file_that_is_not_what_its_suffix_says_is_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"a,b\n1,2\n")
    refused(tmp_path / name, "cannot be read as .*suffix")
    (tmp_path / name).write_bytes(b"")
    refused(tmp_path / name, "is empty")


@pytest.mark.parametrize("says", [b"{", b"\xc6\xff", b'{"index_columns": null}'])
def test_damaged_notes_of_pandas_in_a_parquet_file_are_named(tmp_path, says):
    table = pyarrow.table({"a": numbers()[:, 0]}).replace_schema_metadata({b"pandas": says})
    parquet.write_table(table, tmp_path / "t.parquet")
    refused(tmp_path / "t.parquet", "cannot be read as a Parquet file")


@pytest.mark.parametrize("counted", [61, 59])
def test_a_file_that_counts_its_rows_wrongly_is_damaged(tmp_path, monkeypatch, counted):
    WRITERS["t.parquet"](tmp_path / "t.parquet")
    source = open_source(tmp_path / "t.parquet", ReadOptions())
    monkeypatch.setattr(own_data, "open_source", lambda *_: replace(source, n_rows=counted))
    refused(tmp_path / "t.parquet", f"damaged: of {counted} rows")


@pytest.mark.parametrize(
    ("name", "where"),
    [
        *((name, "pathlib.Path.stat") for name in ("t.csv", "t.npy", "t.h5", "t.parquet", "images")),
        *((name, "builtins.open io.open") for name in ("t.csv", "t.npy", "t.npz", "t.h5")),
        ("", "pathlib.Path.iterdir"),
    ],
)
def test_what_may_not_be_read_is_not_called_damaged(tmp_path, monkeypatch, name, where):
    # Root may look everywhere, and tests may run as root.
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    if "open" in where:
        (tmp_path / name).write_bytes(b"a,b\n1,2\n")
    for function in where.split():
        monkeypatch.setattr(function, refuse)
    assert "cannot be read: Permission denied" in refused(tmp_path / name)
