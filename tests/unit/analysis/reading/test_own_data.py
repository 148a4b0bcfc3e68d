"""What is refused, left out or reported, whatever the format."""

import numpy as np
import pandas as pd
import pytest
from small_tables import frame, numbers

from pdgmm.analysis.reading.own_data import read
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.errors import UserError


@pytest.fixture
def saved(tmp_path):
    def save(table):
        table.to_csv(tmp_path / "t.csv", index=False)
        return tmp_path / "t.csv"

    return save


def test_missing_values_are_counted_worst_column_first(saved):
    table = frame(names="abcdefg")
    for count, name in enumerate("gfedcb", 1):
        table.loc[: count - 1, name] = np.nan
    with pytest.raises(
        UserError,
        match=r"21 values in 6 rows are missing: 'b' 6, 'c' 5, 'd' 4, 'e' 3, 'f' 2 and 1 more .*row 1, column 'b'",
    ) as e:
        read(saved(table))
    assert "--missing drop" in str(e.value)
    assert "--missing mean" in str(e.value)


def test_rows_with_missing_values_can_be_dropped(saved):
    table = frame()
    table.loc[[3, 5], "a"] = np.nan
    data = read(saved(table), ReadOptions(missing="drop"))
    np.testing.assert_array_equal(data.values, table.dropna().to_numpy())
    np.testing.assert_array_equal(data.index, table.dropna().index)
    assert data.notes == ("2 of 600 rows were left out for missing values.",)


def test_dropping_must_leave_rows(saved):
    table = frame()
    table.loc[1:, "a"] = np.nan
    with pytest.raises(UserError, match="only 1 rows have no missing value: --missing mean"):
        read(saved(table), ReadOptions(missing="drop"))


def test_missing_values_can_be_the_mean(saved):
    table = frame()
    table.loc[[3, 5], "a"] = np.nan
    data = read(saved(table), ReadOptions(missing="mean"))
    np.testing.assert_allclose(data.values, table.fillna(table.mean()).to_numpy(), atol=1e-6)
    assert data.notes == ("2 missing values in 2 rows were replaced by the mean of their column.",)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e39])
def test_infinite_values_are_refused(saved, value):
    table = frame().astype(float)
    table.loc[[7, 9], "b"] = value
    with pytest.raises(UserError, match=r"t.csv: infinite values, .*'b' 2 .*row 8, column 'b'.*Correct"):
        read(saved(table))


def test_text_is_named_with_an_example_and_the_fix(saved):
    table = frame().assign(kind="red", day="2024-05-01")
    with pytest.raises(
        UserError, match=r"'kind' \(for example 'red'\), 'day' \(for example '2024-05-01'\)"
    ) as e:
        read(saved(table))
    assert "--drop-columns" in str(e.value)
    assert "--columns" in str(e.value)
    assert "--index-column" not in str(e.value)
    data = read(saved(table), ReadOptions(drop_columns=["kind", "day"]))
    np.testing.assert_array_equal(data.values, numbers())
    assert read(saved(table), ReadOptions(columns=["b", "a"])).columns == ("a", "b")


def test_text_that_differs_in_every_row_is_proposed_as_labels(saved):
    table = frame().assign(who=[f"person {k}" for k in range(600)])
    with pytest.raises(UserError, match="--index-column 'who'"):
        read(saved(table))


def test_a_word_among_numbers_is_shown(saved):
    table = frame().astype(object)
    table.loc[400, "b"] = "unknown"
    with pytest.raises(UserError, match=r"'b' \(mostly numbers, but for example 'unknown'\)") as e:
        read(saved(table))
    assert "--index-column" not in str(e.value)


def test_truth_values_are_0_and_1(saved):
    truth = np.arange(600) % 3 == 0
    np.testing.assert_array_equal(read(saved(frame().assign(d=truth))).values[:, 3], truth)
    table = frame().assign(d=pd.Series(truth, dtype=object))
    table.loc[0, "d"] = None
    np.testing.assert_array_equal(read(saved(table), ReadOptions(missing="drop")).values[:, 3], truth[1:])


def test_constant_and_duplicate_columns_are_left_out(saved):
    table = frame().assign(d=2.5)
    table["e"] = table["b"]
    data = read(saved(table))
    assert data.columns == ("a", "b", "c")
    assert data.notes == (
        "1 constant columns were left out: 'd' (2.5).",
        "1 duplicate columns were left out: 'e' (the same as 'b').",
    )


def test_a_column_that_single_precision_cannot_hold_is_reported(saved):
    table = frame().assign(time=1.7e9 + np.arange(600) / 10)
    assert any("'time' hardly anything is left" in note for note in read(saved(table)).notes)


def test_few_rows_are_reported(saved):
    notes = read(saved(frame(rows=4, names="abcdef"))).notes
    assert "4 rows are few" in notes[0]
    assert "fewer rows (4) than columns (6)" in notes[1]


@pytest.mark.parametrize(
    "option", [{"columns": ["hight"]}, {"drop_columns": ["hight"]}, {"index_column": "hight"}]
)
def test_an_unknown_column_is_named_with_the_nearest(saved, option):
    with pytest.raises(UserError, match="'hight' is unknown; did you mean 'height'"):
        read(saved(frame(names=("height", "b"))), ReadOptions(**option))


def test_a_column_must_be_left(saved):
    with pytest.raises(UserError, match="no column is left of 3"):
        read(saved(frame()), ReadOptions(drop_columns=["a", "b", "c"]))


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
