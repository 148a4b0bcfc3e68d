"""Damaged and odd files of a user's own: refused by their name, whatever the library that reads them raises."""

import gzip
import zipfile

import h5py
import numpy as np
import pandas as pd
import pyarrow
import pytest
from own_data_tables import frame, numbers
from pyarrow import parquet

from pdgmm.errors import UserError
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.own_data import read


def refused(path, words):
    with pytest.raises(UserError, match=rf"{path.name}.*{words}") as raised:
        read(path)
    return str(raised.value)


def test_packed_text_that_cannot_be_unpacked(tmp_path):
    path = tmp_path / "t.csv.gz"
    content = bytearray(gzip.compress(frame().to_csv(index=False).encode()))
    content[10:50] = b"\xff" * 40  # Behind the header of gzip.
    path.write_bytes(content)
    refused(path, "cannot be read as .*decompress")


@pytest.mark.parametrize(
    ("old", "new"), [(b"(600, 3)", b"(600, 3("), (b"'<f4'", b"'<q9'"), (b"'descr'", b"'desc\0'")]
)
def test_headers_of_numpy_files(tmp_path, old, new):
    np.save(tmp_path / "t.npy", numbers())
    (tmp_path / "t.npy").write_bytes((tmp_path / "t.npy").read_bytes().replace(old, new))
    refused(tmp_path / "t.npy", "cannot be read as a NumPy .npy file")
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.write(tmp_path / "t.npy", "x.npy")
    refused(tmp_path / "t.npz", "cannot be read as a NumPy .npz file")


def test_a_numpy_archive_with_a_damaged_middle(tmp_path):
    np.savez_compressed(tmp_path / "t.npz", x=numbers())
    content = bytearray((tmp_path / "t.npz").read_bytes())
    content[200:240] = b"\xff" * 40
    (tmp_path / "t.npz").write_bytes(content)
    refused(tmp_path / "t.npz", "cannot be read as a NumPy .npz file")


@pytest.mark.parametrize("says", [b"{", b"\xc6\xff", b"[" * 100_000, b"[]", b"7", b'{"index_columns": null}'])
def test_what_pandas_noted_in_a_parquet_file(tmp_path, says):
    table = pyarrow.table({"a": numbers()[:, 0]}).replace_schema_metadata({b"pandas": says})
    parquet.write_table(table, tmp_path / "t.parquet")
    refused(tmp_path / "t.parquet", "pandas")


@pytest.mark.parametrize(("counted", "has"), [(601, "600"), (599, "more"), (-600, "others")])
def test_a_parquet_file_that_counts_its_rows_wrongly(tmp_path, monkeypatch, counted, has):
    frame().to_parquet(tmp_path / "t.parquet")

    class Miscounting:
        def __init__(self, metadata):
            self._metadata = metadata
            self.num_rows = counted

        def __getattr__(self, name):
            return getattr(self._metadata, name)

    told = parquet.ParquetFile.metadata.fget
    monkeypatch.setattr(parquet.ParquetFile, "metadata", property(lambda file: Miscounting(told(file))))
    refused(tmp_path / "t.parquet", f"it says it has {counted} rows and has {has}")


def test_labels_in_a_parquet_file_that_are_no_utf_8(tmp_path):
    frame().set_axis([f"sample{k:04}" for k in range(600)]).to_parquet(
        tmp_path / "t.parquet", compression=None
    )
    content = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(content.replace(b"sample0300", b"sample\xff300"))
    refused(tmp_path / "t.parquet", "cannot be read as a Parquet file")


def test_columns_of_lists_or_records_are_named_and_can_be_left_out(tmp_path):
    table = frame().assign(spectrum=[[1.0, 2.0]] * 600, place=[{"x": 1.0}] * 600)
    table.to_parquet(tmp_path / "t.parquet")
    words = refused(tmp_path / "t.parquet", r"several values in a row .*: 'spectrum', 'place'")
    assert "--drop-columns" in words
    data = read(tmp_path / "t.parquet", ReadOptions(drop_columns=["spectrum", "place"]))
    np.testing.assert_array_equal(data.values, numbers())


def test_a_type_of_number_that_numpy_has_not(tmp_path):
    with h5py.File(tmp_path / "t.h5", "w") as file:
        kind = h5py.h5t.IEEE_F64LE.copy()
        kind.set_ebias(2**20)
        h5py.h5d.create(file.id, b"odd", kind, h5py.h5s.create_simple((600, 3)))
    refused(tmp_path / "t.h5", "holds no array")
    with h5py.File(tmp_path / "t.h5", "a") as file:
        file["x"] = numbers()
    np.testing.assert_array_equal(read(tmp_path / "t.h5", ReadOptions(array="x")).values, numbers())


def test_a_name_in_an_hdf5_file_that_is_no_utf_8(tmp_path):
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file[b"\xff\xfe"] = numbers()
    refused(tmp_path / "t.h5", r"holds no array .*, only b'.xff.xfe'")
    with h5py.File(tmp_path / "t.h5", "a") as file:
        file["x"] = numbers()
    np.testing.assert_array_equal(read(tmp_path / "t.h5").values, numbers())


def test_an_hdf5_file_far_too_small_for_its_shape(tmp_path):
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file.create_dataset("x", (2**50, 3), "f4", chunks=(8, 3))
    refused(tmp_path / "t.h5", "for which the file is far too small")


def test_an_array_that_lies_in_other_files_is_read(tmp_path):
    with h5py.File(tmp_path / "part.h5", "w") as file:
        file["x"] = numbers()
    layout = h5py.VirtualLayout((600, 3), "f4")
    layout[:] = h5py.VirtualSource(tmp_path / "part.h5", "x", (600, 3))
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file.create_virtual_dataset("x", layout)
    np.testing.assert_array_equal(read(tmp_path / "t.h5").values, numbers())


@pytest.mark.parametrize("name", ["t.csv", "t.npy", "t.h5", "t.parquet", "images"])
def test_a_place_that_may_not_be_looked_at(tmp_path, monkeypatch, name):
    # Root may look everywhere, and tests may run as root.
    def refuse(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.stat", refuse)
    refused(tmp_path / name, "cannot be read: Permission denied")


@pytest.mark.parametrize("name", ["t.csv", "t.npy", "t.npz", "t.h5"])
def test_a_file_that_may_not_be_read(tmp_path, monkeypatch, name):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    (tmp_path / name).write_bytes(b"a,b\n1,2\n")
    for opener in ("builtins.open", "io.open"):
        monkeypatch.setattr(opener, refuse)
    refused(tmp_path / name, "cannot be read: Permission denied")


def test_a_folder_that_may_not_be_listed(tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.iterdir", refuse)
    refused(tmp_path, "cannot be read: Permission denied")


def test_a_table_of_text_that_is_cut_to_its_header(tmp_path):
    pd.DataFrame({"a": [], "b": []}).to_csv(tmp_path / "t.csv", index=False)
    refused(tmp_path / "t.csv", "no rows")


def test_an_array_that_begins_as_an_archive_is_named(tmp_path):
    np.save(tmp_path / "t.npy", np.ones((5, 2)))
    whole = (tmp_path / "t.npy").read_bytes()
    (tmp_path / "t.npy").write_bytes(b"PK\x03\x04" + whole[4:])
    refused(tmp_path / "t.npy", "cannot be read as a NumPy .npy file")
