"""Sparse matrices whose lists contradict each other: refused before SciPy writes outside its memory."""

import h5py
import numpy as np
import pytest
from own_data_tables import numbers, write_h5ad
from scipy import sparse

from pdgmm.errors import UserError
from pdgmm.analysis.reading.own_data import read
from pdgmm.analysis.reading.row_blocks import blocks

TABLE = np.where(numbers(60, seed=2) > 0, numbers(60), 0)


def put(path, name, values, form=sparse.csr_array):
    """A matrix of 60 rows and 3 columns with another list ``name``."""
    write_h5ad(path, form(TABLE))
    with h5py.File(path, "a") as file:
        del file[f"X/{name}"]
        file[f"X/{name}"] = values


def changed(list_, at, value):
    list_ = list_.copy()
    list_[at] = value
    return list_


ROWS, COLUMNS = sparse.csr_array(TABLE), sparse.csc_array(TABLE)
N = ROWS.nnz
WRONG = {
    "a column behind the last": (
        "indices",
        changed(ROWS.indices, 5, 99),
        r"'indices' names column 99, .* of 3",
    ),
    "a column below 0": ("indices", changed(ROWS.indices, -1, -1), "'indices' names column -1"),
    "places that wrap round": (
        "indices",
        np.full(N, 2**64 - 1, np.uint64),
        "'indices' names column 1844674407",
    ),
    "fewer places than values": (
        "indices",
        ROWS.indices[:-1],
        f"'data' has {N} entries and 'indices' {N - 1}",
    ),
    "fewer values than places": ("data", ROWS.data[:-1], f"'data' has {N - 1} entries and 'indices' {N}"),
    "starts cut short": ("indptr", ROWS.indptr[:-9], "'indptr' has 52 entries, .* needs 61"),
    "no starts": ("indptr", ROWS.indptr[:0], "'indptr' has 0 entries"),
    "starts that fall": ("indptr", changed(ROWS.indptr, 3, N), f"'indptr' does not rise from 0 to {N}"),
    "starts below 0": ("indptr", changed(ROWS.indptr, 0, -4), "'indptr' does not rise from 0"),
    "starts behind the end": ("indptr", changed(ROWS.indptr, -1, 10**6), "'indptr' does not rise from 0"),
    "starts that wrap round": (
        "indptr",
        np.r_[0, 2**63 - 1, -(2**63), -1, ROWS.indptr[4:].astype(np.int64)],
        "'indptr' does not rise from 0",
    ),
    "starts with fractions": ("indptr", ROWS.indptr.astype(float), "'indptr' is no list of numbers"),
    "starts in a table": ("indptr", ROWS.indptr[:, None], "'indptr' is no list of numbers"),
    "words as values": ("data", ["a"] * N, "'data' is no list of numbers"),
}


@pytest.mark.parametrize(("name", "values", "words"), WRONG.values(), ids=list(WRONG))
def test_lists_that_contradict_each_other_are_named(tmp_path, name, values, words):
    path = tmp_path / "t.h5ad"
    put(path, name, values)
    with pytest.raises(UserError, match=rf"t\.h5ad: the sparse matrix /X is damaged \({words}"):
        read(path)


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("indices", changed(COLUMNS.indices, 5, 60), "'indices' names row 60, .* of 60"),
        ("indptr", COLUMNS.indptr[:-1], "'indptr' has 3 entries, .* needs 4"),
        ("indptr", changed(COLUMNS.indptr, 1, N + 1), "'indptr' does not rise"),
    ],
)
def test_a_matrix_stored_by_column_is_checked_likewise(tmp_path, name, values, words):
    put(tmp_path / "t.h5ad", name, values, sparse.csc_array)
    with pytest.raises(UserError, match=rf"t\.h5ad: the sparse matrix /X is damaged \({words}"):
        read(tmp_path / "t.h5ad")


def test_every_block_is_checked_when_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("pdgmm.analysis.reading.source.BLOCK_VALUES", 30)
    put(tmp_path / "t.h5ad", "indices", changed(ROWS.indices, -1, 3))
    found = iter(blocks(tmp_path / "t.h5ad", expected_columns=["g1", "g2", "g3"]))
    np.testing.assert_array_equal(next(found).values, TABLE[:10])
    with pytest.raises(UserError, match="'indices' names column 3"):
        list(found)


@pytest.mark.parametrize("shape", [[60], [60, -3], [60.0, 3.0], "60"])
def test_a_shape_that_is_none_is_named(tmp_path, shape):
    write_h5ad(tmp_path / "t.h5ad", ROWS)
    with h5py.File(tmp_path / "t.h5ad", "a") as file:
        file["X"].attrs["shape"] = shape
    with pytest.raises(UserError, match=r"t\.h5ad: the sparse matrix /X is damaged \(its shape is"):
        read(tmp_path / "t.h5ad")


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize(("shape", "what"), [([60, 2**22 + 3], "columns"), ([2**55, 3], "rows")])
def test_a_shape_that_contradicts_the_names_is_refused(tmp_path, form, shape, what):
    write_h5ad(tmp_path / "t.h5ad", form(TABLE))
    with h5py.File(tmp_path / "t.h5ad", "a") as file:
        file["X"].attrs["shape"] = shape
    with pytest.raises(UserError, match=rf"t\.h5ad is damaged: X has {max(shape)} {what}, and the names"):
        read(tmp_path / "t.h5ad")


def test_more_columns_than_have_room_are_refused(tmp_path):
    write_h5ad(tmp_path / "t.h5ad", ROWS)
    with h5py.File(tmp_path / "t.h5ad", "a") as file:
        file["X"].attrs["shape"] = [60, 2**50]
    with pytest.raises(UserError, match=r"t\.h5ad:X has shape .* numbers a row are not read"):
        read(tmp_path / "t.h5ad")


@pytest.mark.parametrize("kind", [">f4", "f2", ">i4", "?", "f8"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
def test_values_of_any_type_are_read(tmp_path, kind, form):
    table = np.rint(TABLE).astype(kind)
    write_h5ad(tmp_path / "t.h5ad", form(np.rint(TABLE)))
    with h5py.File(tmp_path / "t.h5ad", "a") as file:
        values = file["X/data"][:]
        del file["X/data"]
        file["X/data"] = values.astype(kind)
    np.testing.assert_array_equal(read(tmp_path / "t.h5ad").values, table.astype(np.float32))
