"""Parquet files."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest
from small_tables import frame, numbers

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.own_data import read
from pdgmm.errors import UserError


@pytest.mark.parametrize("most", [600, 40])
def test_a_table_is_read_group_by_group(tmp_path, most):
    frame(names=("a", "b.c", "größe ")).to_parquet(tmp_path / "t.parquet", row_group_size=70)
    data = read(tmp_path / "t.parquet", ReadOptions(max_rows=most))
    assert data.columns == ("a", "b.c", "größe ")
    assert len(data.index) == most
    np.testing.assert_array_equal(data.values, numbers()[data.index.astype(int)])


@pytest.mark.parametrize("name", [None, "id"])
def test_the_index_of_pandas_labels_the_rows(tmp_path, name):
    labels = pd.Index([f"s{k}" for k in range(600)], name=name)
    frame().set_axis(labels).to_parquet(tmp_path / "t.parquet")
    data = read(tmp_path / "t.parquet")
    assert data.columns == ("a", "b", "c")
    assert list(data.index) == list(labels)


def test_truth_values_and_decimals_are_numbers(tmp_path):
    table = frame().assign(d=pd.array([None, True, False] * 200, "boolean"))
    table["e"] = [decimal.Decimal(k) / 4 for k in range(600)]
    table["f"] = pd.array([None, 5, 6] * 200, "Int64")
    table.to_parquet(tmp_path / "t.parquet")
    data = read(tmp_path / "t.parquet", ReadOptions(missing="drop"))
    np.testing.assert_array_equal(data.values[:2, 3:], [[1, 0.25, 5], [0, 0.5, 6]])


def test_text_dates_categories_and_lists_are_refused_unless_left_out(tmp_path):
    day = datetime.date(2024, 5, 1)
    table = frame().assign(kind=pd.Categorical(["red"] * 600), day=day, time=pd.Timestamp(day))
    table["spectrum"] = [[1.0, 2.0]] * 600
    table.to_parquet(tmp_path / "t.parquet")
    words = r"'kind' \(for example 'red'\), 'day' \(for example '2024-05-01'\), 'time' .*, 'spectrum' \(for example"
    with pytest.raises(UserError, match=words):
        read(tmp_path / "t.parquet")
    chosen = read(tmp_path / "t.parquet", ReadOptions(columns=["a", "c"]))
    np.testing.assert_array_equal(chosen.values, numbers()[:, [0, 2]])
