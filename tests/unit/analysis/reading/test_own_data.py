"""What is refused, left out or reported, whatever the format."""

import re

import numpy as np
import pandas as pd
import pytest
from small_tables import frame, numbers

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.own_data import read
from pdgmm.errors import UserError

TEXT = frame().assign(kind="red", day="2024-05-01")
WORD = frame().astype(object)
WORD.loc[400, "b"] = "unknown"
GAPS = frame()
GAPS.loc[[3, 5], "a"] = np.nan


@pytest.fixture
def saved(tmp_path):
    def save(table):
        table.to_csv(tmp_path / "t.csv", index=False)
        return tmp_path / "t.csv"

    return save


def with_value(value):
    table = frame().astype(float)
    table.loc[[7, 9], "b"] = value
    return table


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (
            GAPS,
            {},
            r"2 values in 2 rows are missing: 'a' 2 .*row 4, column 'a'.*--missing drop.*--missing mean",
        ),
        *(
            (with_value(value), {}, "infinite values.*'b' 2 .*row 8, column 'b'.*--drop-columns")
            for value in (np.inf, -np.inf, 1e39)
        ),
        (
            with_value(np.nan).assign(a=[1.0] + [np.nan] * 599),
            {"missing": "drop"},
            "only 1 rows have no missing",
        ),
        (TEXT, {}, r"'kind' \(for example 'red'\), 'day' \(for example '2024-05-01'\).*--drop-columns"),
        (WORD, {}, r"'b' \(mostly numbers, but for example 'unknown'\)"),
        (frame().assign(who=[f"person {k}" for k in range(600)]), {}, "--index-column 'who'"),
        (frame(), {"drop_columns": ["a", "b", "c"]}, "no column is left of 3"),
        *(
            (
                frame(names=("height", "b")),
                option,
                "'hight' is unknown; did you mean 'height'.* has 'height', 'b'",
            )
            for option in ({"columns": ["hight"]}, {"drop_columns": ["hight"]}, {"index_column": "hight"})
        ),
    ],
)
def test_what_is_refused_is_named_with_the_fix(saved, table, options, words):
    with pytest.raises(UserError, match=rf"t\.csv: .*{words}") as raised:
        read(saved(table), ReadOptions(**options))
    assert ("--index-column" in str(raised.value)) == ("who" in table)


@pytest.mark.parametrize(
    ("missing", "expected", "said"),
    [
        ("drop", GAPS.dropna(), "2 of 600 rows were left out"),
        ("mean", GAPS.fillna(GAPS.mean()), "2 missing values"),
    ],
)
def test_missing_values_are_dropped_or_the_mean(saved, missing, expected, said):
    data = read(saved(GAPS), ReadOptions(missing=missing))
    np.testing.assert_allclose(data.values, expected.to_numpy(), atol=1e-6)
    np.testing.assert_array_equal(data.index, expected.index)
    assert said in data.notes[0]


def test_columns_can_be_chosen(saved):
    data = read(saved(TEXT), ReadOptions(drop_columns=["kind", "day"]))
    np.testing.assert_array_equal(data.values, numbers())
    assert read(saved(TEXT), ReadOptions(columns=["b", "a"])).columns == ("a", "b")


def test_truth_values_are_0_and_1(saved):
    truth = np.arange(600) % 3 == 0
    np.testing.assert_array_equal(read(saved(frame().assign(d=truth))).values[:, 3], truth)
    table = frame().assign(d=pd.Series(truth, dtype=object))
    table.loc[0, "d"] = None
    np.testing.assert_array_equal(read(saved(table), ReadOptions(missing="drop")).values[:, 3], truth[1:])


@pytest.mark.parametrize(
    ("table", "columns", "notes"),
    [
        (frame().assign(d=2.5), "abc", ["1 constant columns .*: 'd' \\(2.5\\)"]),
        (frame().assign(e=frame()["b"]), "abc", ["1 duplicate columns .*: 'e' \\(the same as 'b'\\)"]),
        (
            frame().assign(t=1.7e9 + np.arange(600) / 10),
            "abc",
            ["Of 't' hardly anything is left", "1 constant"],
        ),
        (frame(4, "abcdef"), "abcdef", ["4 rows are few", r"fewer rows \(4\) than columns \(6\)"]),
    ],
)
def test_what_is_left_out_or_doubtful_is_noted(saved, table, columns, notes):
    data = read(saved(table))
    assert data.columns == tuple(columns)
    assert all(re.search(words, note) for words, note in zip(notes, data.notes, strict=True))


def test_a_missing_file_and_an_unknown_suffix_are_named(tmp_path):
    with pytest.raises(UserError, match="none.csv does not exist"):
        read(tmp_path / "none.csv")
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(UserError, match=r"ending in '.xlsx' are not read; save it as one of .csv, .*\.h5ad"):
        read(tmp_path / "t.xlsx")


def test_a_sample_is_drawn_without_replacement_in_the_order_of_the_file(saved):
    path = saved(frame(rows=5000).assign(row=np.arange(5000)))
    options = ReadOptions(max_rows=1000, seed=3)
    data = read(path, options)
    assert data.values.shape == (1000, 4)
    assert data.rows_in_file == 5000
    np.testing.assert_array_equal(data.values[:, 3], data.index)
    assert (np.diff(data.index) > 0).all()
    assert data.notes == ("1000 of the 5000 rows were drawn at random.",)
    np.testing.assert_array_equal(read(path, options).index, data.index)
    assert (read(path, ReadOptions(max_rows=1000, seed=4)).index != data.index).any()
    # Uniform: the mean of 1000 of 5000 rows lies within four standard errors.
    assert abs(data.index.mean() - 2499.5) < 4 * 5000 / np.sqrt(12 * 1000)
