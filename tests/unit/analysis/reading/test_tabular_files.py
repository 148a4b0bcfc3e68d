"""Text files (separators, headers, row labels) and Parquet."""

import datetime
import decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from small_tables import frame, numbers

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.own_data import read
from pdgmm.errors import UserError

NAME = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=8)


@st.composite
def numeric_frames(draw):
    names = draw(st.lists(NAME.map(str.strip).filter(bool), min_size=1, max_size=6, unique=True))
    # One name at least must not look like a number, or there is no header to see.
    names = ["first of all", *(name for name in names if name != "first of all")]
    shape = (draw(st.integers(2, 8)), len(names))
    finite = st.floats(-1e6, 1e6, width=32)
    table = draw(arrays.arrays(np.float32, shape, elements=finite))
    # Distinct and not constant, whatever was drawn.
    table[0] = np.arange(1, len(names) + 1) * 2e6
    table[1] = -table[0]
    return pd.DataFrame(table, columns=names)


@settings(deadline=None, max_examples=60)
@given(numeric_frames(), st.sampled_from([",", ";", "\t"]), st.booleans())
def test_a_numeric_frame_comes_back_as_it_was(table, separator, labelled):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table.to_csv(path, sep=separator, index=labelled)
        data = read(path)
    assert list(data.columns) == list(table.columns)
    np.testing.assert_array_equal(data.values, table.to_numpy())
    np.testing.assert_array_equal(data.index, table.index)


@pytest.mark.parametrize(
    ("name", "writing", "columns", "note"),
    [
        ("t.csv", {}, "abc", None),
        ("t.tsv", {"sep": "\t"}, "abc", None),
        ("t.txt", {"sep": " "}, "abc", None),
        ("T.CSV", {"sep": "|"}, "abc", None),
        ("t.csv", {"sep": " "}, "abc", None),
        ("t.csv.gz", {}, "abc", None),
        ("t.csv", {"sep": ";", "decimal": ",", "encoding": "utf-8-sig"}, "abc", "The comma was read"),
        ("t.csv", {"header": False}, ("x1", "x2", "x3"), "The file has no header"),
        ("t.csv", {"header": ["", "b", "c"]}, ("x1", "b", "c"), None),
    ],
)
def test_how_a_text_is_laid_out_is_recognised(tmp_path, name, writing, columns, note):
    frame().to_csv(tmp_path / name, index=False, **writing)
    data = read(tmp_path / name)
    assert data.columns == tuple(columns)
    assert data.values.dtype == np.float32
    np.testing.assert_array_equal(data.values, numbers())
    np.testing.assert_array_equal(data.index, np.arange(600))
    assert (data.index_name, data.image_shape, data.rows_in_file) == (None, None, 600)
    assert [each.startswith(note) for each in data.notes] == ([True] if note else [])


def test_a_header_of_numbers_can_be_claimed(tmp_path):
    frame(names=("400", "402", "404")).to_csv(tmp_path / "t.csv", index=False)
    assert len(read(tmp_path / "t.csv").values) == 601
    data = read(tmp_path / "t.csv", ReadOptions(header=True))
    assert data.columns == ("400", "402", "404")
    np.testing.assert_array_equal(data.values, numbers())


@pytest.mark.parametrize(("names", "labelled"), [("012", False), ("012", True), (("400", "402", "9"), True)])
def test_pandas_names_for_nameless_columns_are_a_header(tmp_path, names, labelled):
    frame(names=names).to_csv(tmp_path / "t.csv", index=labelled)
    data = read(tmp_path / "t.csv")
    assert data.columns == tuple(names)
    np.testing.assert_array_equal(data.values, numbers())


@pytest.mark.parametrize(
    "labels", [np.arange(600), np.arange(600)[::-1] * 7, [f"cell {k}" for k in range(600)]]
)
def test_an_unnamed_first_column_labels_the_rows(tmp_path, labels):
    frame().set_axis(labels).to_csv(tmp_path / "t.csv")
    data = read(tmp_path / "t.csv")
    assert data.columns == ("a", "b", "c")
    np.testing.assert_array_equal(data.index, labels)
    assert data.notes == ("The first column ('x1'), which has no name, labels the rows.",)


def test_row_names_as_r_writes_them_are_labels(tmp_path):
    lines = [f"r{k}\t{k % 7}\t{k % 5}" for k in range(600)]
    (tmp_path / "t.tsv").write_text("\n".join(["a\tb", *lines]))
    data = read(tmp_path / "t.tsv")
    assert data.columns == ("a", "b")
    assert data.index[599] == "r599"


def test_a_counting_column_without_header_labels_the_rows_unless_it_is_asked_for(tmp_path):
    frame().to_csv(tmp_path / "t.csv", header=False)
    data = read(tmp_path / "t.csv")
    assert data.columns == ("x2", "x3", "x4")
    assert data.index_name == "x1"
    assert read(tmp_path / "t.csv", ReadOptions(columns=["x1", "x2"])).columns == ("x1", "x2")


@pytest.mark.parametrize("wanted", ["id", 2, "2"])
def test_the_index_column_can_be_named_or_counted(tmp_path, wanted):
    table = frame()
    table.insert(1, "id", [f"s{k}" for k in range(600)])
    table.to_csv(tmp_path / "t.csv", index=False)
    data = read(tmp_path / "t.csv", ReadOptions(index_column=wanted))
    assert data.index_name == "id"
    assert list(data.index) == list(table["id"])
    np.testing.assert_array_equal(data.values, numbers())


def test_separators_at_the_end_of_lines_are_no_column(tmp_path):
    lines = [f"{k % 7},{k % 5}," for k in range(600)]
    for header in ("a,b", "a,b,"):
        (tmp_path / "t.csv").write_text("\n".join([header, *lines]))
        data = read(tmp_path / "t.csv")
        assert data.columns == ("a", "b")
        assert data.notes == ("1 columns without any value were left out: 'x3'.",)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "t.csv is empty"),
        (b"\n\n", "t.csv holds no text"),
        (b"a,b\n", "t.csv has no rows"),
        (b"a,b\n1,2\n", "t.csv has one row only"),
        (b"a,b\n1,2\n3,4,5\n", "Expected 2 fields in line 3, saw 3"),
        (b"my title\na,b,c\n1,2,3\n", "first line has 1 fields and the next 3: delete what is above"),
        (b"a,b,c\n1,2\n4,5,6\n", "1 values in 1 rows are missing: 'c' 1 .*row 1, column 'c'"),
        (b"a,b,a\n1,2,3\n4,5,6\n", "same name: 'a'; rename"),
        ("a,größe\n1,2\n".encode("latin-1"), "t.csv cannot be read as UTF-8 text"),
        (b"PK\0\1,2\n1,2\n", "t.csv holds no text"),
        (b"a,b\n1,2\n1,2\n", "every column is constant"),
        (b"a,b\n,\n,\n", "no column holds a value"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_words(tmp_path, content, words):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UserError, match=words):
        read(tmp_path / "t.csv")


@pytest.mark.parametrize("most", [600, 40])
def test_parquet_is_read_group_by_group(tmp_path, most):
    frame(names=("a", "b.c", "größe ")).to_parquet(tmp_path / "t.parquet", row_group_size=70)
    data = read(tmp_path / "t.parquet", ReadOptions(max_rows=most))
    assert data.columns == ("a", "b.c", "größe ")
    assert len(data.index) == most
    np.testing.assert_array_equal(data.values, numbers()[data.index.astype(int)])


@pytest.mark.parametrize("name", [None, "id"])
def test_the_index_in_parquet_labels_the_rows(tmp_path, name):
    labels = pd.Index([f"s{k}" for k in range(600)], name=name)
    frame().set_axis(labels).to_parquet(tmp_path / "t.parquet")
    data = read(tmp_path / "t.parquet")
    assert data.columns == ("a", "b", "c")
    assert list(data.index) == list(labels)


def test_truth_values_and_decimals_in_parquet_are_numbers(tmp_path):
    table = frame().assign(d=pd.array([None, True, False] * 200, "boolean"))
    table["e"] = [decimal.Decimal(k) / 4 for k in range(600)]
    table["f"] = pd.array([None, 5, 6] * 200, "Int64")
    table.to_parquet(tmp_path / "t.parquet")
    data = read(tmp_path / "t.parquet", ReadOptions(missing="drop"))
    np.testing.assert_array_equal(data.values[:2, 3:], [[1, 0.25, 5], [0, 0.5, 6]])


def test_text_dates_categories_and_lists_in_parquet_are_refused_unless_left_out(tmp_path):
    day = datetime.date(2024, 5, 1)
    table = frame().assign(kind=pd.Categorical(["red"] * 600), day=day, time=pd.Timestamp(day))
    table["spectrum"] = [[1.0, 2.0]] * 600
    table.to_parquet(tmp_path / "t.parquet")
    words = r"'kind' \(for example 'red'\), 'day' \(for example '2024-05-01'\), 'time' .*, 'spectrum' \(for example"
    with pytest.raises(UserError, match=words):
        read(tmp_path / "t.parquet")
    chosen = read(tmp_path / "t.parquet", ReadOptions(columns=["a", "c"]))
    np.testing.assert_array_equal(chosen.values, numbers()[:, [0, 2]])
