"""A user's own file as a dataset."""

import json

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.steps.generate import generate_dataset
from pdgmm.store import hdf5


@pytest.fixture
def table(tmp_path):
    x = np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32) * [1, 10, 100]
    segment = np.tile([7, -2, 7, 30, 7], 100)
    columns = np.column_stack([x[:, :1], segment, x[:, 1:]])
    np.savetxt(tmp_path / "my.csv", columns, delimiter=",", header="a,segment,b,c", comments="")
    return tmp_path / "my.csv"


def written(table, seed=0, **settings):
    """Arrays of the dataset by path, and what is said about it."""
    out = table.parent / "d.h5"
    generate_dataset("file", json.dumps({"file": str(table), **settings}), seed, out)
    with hdf5.opened(out, "dataset") as file:
        about = {key: hdf5.about(file, key) for key in ("settings", "n_latents", "facts")}
        return {f"{split}/{name}": file[split][name][()] for split in file for name in file[split]}, about


def test_each_seed_learns_from_other_rows_and_holds_out_the_same(table):
    (first, about), (second, _) = (written(table, seed) for seed in (0, 1))
    assert set(first) == {"train/x", "test/x"}
    assert (first["train/x"].shape, first["test/x"].shape) == ((320, 4), (100, 4))
    np.testing.assert_array_equal(first["test/x"], second["test/x"])
    assert not np.array_equal(first["train/x"], second["train/x"])
    assert not {row.tobytes() for row in first["train/x"]} & {row.tobytes() for row in first["test/x"]}
    assert about["settings"]["samples"] == {"train": 320, "test": 100}
    assert about["n_latents"] == 4
    assert about["facts"]["columns"] == ["a", "segment", "b", "c"]
    np.testing.assert_allclose(first["train/x"].std(0), 1, atol=0.1)


def test_the_number_of_latents_may_be_given(table):
    assert written(table, n_latents=2)[1]["n_latents"] == 2


def test_a_side_variable_leaves_the_observations_and_its_values_are_counted_from_0(table):
    arrays, about = written(table, u="segment")
    plain, _ = written(table)
    assert about["facts"]["columns"] == ["a", "b", "c"]
    assert about["n_latents"] == 3
    for split in ("train", "test"):
        np.testing.assert_array_equal(arrays[f"{split}/x"], plain[f"{split}/x"][:, [0, 2, 3]])
        # -2, 7 and 30, which the observations hold in their own scale, are 0, 1 and 2.
        order = np.unique(plain[f"{split}/x"][:, 1], return_inverse=True)[1]
        np.testing.assert_array_equal(arrays[f"{split}/u"], order)
        assert set(arrays[f"{split}/u"]) == {0, 1, 2}


def test_a_column_that_is_not_there_is_named(table):
    with pytest.raises(UserError, match=r"my\.csv.*'domain'.*a, segment, b, c"):
        written(table, u="domain")
