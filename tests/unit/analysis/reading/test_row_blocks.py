"""All rows in blocks, in the columns a model was fitted to."""

import numpy as np
import pytest
from small_tables import frame, numbers

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.row_blocks import RowBlocks
from pdgmm.errors import UserError


def blocks(path, columns, means=None, image_shape=None, **options):
    """Blocks of the file, with means of 0 unless others are given."""
    means = np.zeros(len(columns)) if means is None else means
    return RowBlocks(path, ReadOptions(**options), columns, means, image_shape)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("pdgmm.analysis.reading.source.BLOCK_VALUES", 300)


@pytest.mark.usefixtures("small_blocks")
def test_the_columns_come_in_the_expected_order_and_others_are_ignored(tmp_path):
    table = frame().assign(word="red")[["c", "word", "b", "a"]]
    table.to_csv(tmp_path / "t.csv", index=False)
    found = blocks(tmp_path / "t.csv", ("a", "b"))
    assert found.n_rows == 600
    assert found.notes == ("2 columns that the model does not know were ignored: 'c', 'word'.",)
    for _ in range(2):
        parts = list(found)
        assert len(parts) > 2
        assert parts[0][1].dtype == np.float32
        index, values = map(np.concatenate, zip(*parts, strict=True))
        np.testing.assert_array_equal(values, numbers()[:, :2])
        np.testing.assert_array_equal(index, np.arange(600))


def test_lacking_columns_are_named(tmp_path):
    frame().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(UserError, match=r"t.csv lacks columns .*: 'd', 'e'; it has 'a', 'b', 'c'"):
        blocks(tmp_path / "t.csv", ["a", "d", "e"])


def test_one_row_can_be_encoded(tmp_path):
    (tmp_path / "t.csv").write_text("id,a\ns1,2\n")
    found = blocks(tmp_path / "t.csv", ["a"], index_column="id")
    ((index, values),) = found
    assert values.tolist() == [[2]]
    assert index.tolist() == ["s1"]
    assert found.index_name == "id"


def test_a_recognised_index_that_the_model_knows_is_data(tmp_path):
    frame().to_csv(tmp_path / "t.csv", header=False)
    found = blocks(tmp_path / "t.csv", ["x1", "x2", "x3", "x4"])
    assert found.index_name is None
    np.testing.assert_array_equal(next(iter(found))[1][:, 0], np.arange(600))


def test_missing_values_are_refused_dropped_or_the_fitted_mean(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n,3\n4,5\n")
    with pytest.raises(UserError, match="1 values in 1 rows are missing: 'a' 1 .*row 2, column 'a'"):
        list(blocks(tmp_path / "t.csv", ["b", "a"]))
    ((index, values),) = blocks(tmp_path / "t.csv", ["b", "a"], missing="drop")
    assert values.tolist() == [[2, 1], [5, 4]]
    assert index.tolist() == [0, 2]
    ((_, values),) = blocks(tmp_path / "t.csv", ["b", "a"], np.array([10.0, 20.0]), missing="mean")
    assert values.tolist() == [[2, 1], [3, 20], [5, 4]]


def test_infinite_values_and_text_are_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,inf\n1,2\n")
    with pytest.raises(UserError, match="infinite values.*'b' 1"):
        list(blocks(tmp_path / "t.csv", ["b"]))
    (tmp_path / "t.csv").write_text("a,b\n1,red\n1,2\n")
    with pytest.raises(UserError, match="hold no numbers: 'b'"):
        list(blocks(tmp_path / "t.csv", ["b"]))


def test_images_of_another_size_are_refused(tmp_path):
    np.save(tmp_path / "t.npy", np.zeros((5, 4, 4)))
    names = [f"x{k}" for k in range(1, 5)]
    with pytest.raises(
        UserError, match="holds images of 4 x 4 pixels, 1 channels, the model was fitted to images of 2"
    ):
        blocks(tmp_path / "t.npy", names, image_shape=(2, 2, 1))
    with pytest.raises(UserError, match="fitted to a table"):
        blocks(tmp_path / "t.npy", names)
