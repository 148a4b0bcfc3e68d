"""A user's own file as a dataset of the workflow."""

import json

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.steps.generate import generate_dataset
from pdgmm.store import hdf5
from pdgmm.study.planning import plan_study


@pytest.fixture
def table(tmp_path):
    x = np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32) * [1, 10, 100]
    np.savetxt(tmp_path / "my.csv", x, delimiter=",", header="a,b,c", comments="")
    return tmp_path / "my.csv"


def written(table, seed, out, **settings):
    generate_dataset("file", json.dumps({"file": str(table), **settings}), seed, out)
    with hdf5.opened(out, "dataset") as file:
        about = {key: hdf5.about(file, key) for key in ("settings", "n_latents", "facts")}
        return file["train/x"][()], file["test/x"][()], about


def test_each_seed_learns_from_other_rows_and_holds_out_the_same(table, tmp_path):
    first, held_out, about = written(table, 0, tmp_path / "0.h5")
    second, again, _ = written(table, 1, tmp_path / "1.h5")
    assert (first.shape, held_out.shape) == ((320, 3), (100, 3))
    np.testing.assert_array_equal(held_out, again)
    assert not np.array_equal(first, second)
    seen = {row.tobytes() for row in first}
    assert not seen & {row.tobytes() for row in held_out}
    assert about["settings"]["samples"] == {"train": 320, "test": 100}
    assert about["n_latents"] == 3
    assert about["facts"]["columns"] == ["a", "b", "c"]
    np.testing.assert_allclose(first.std(0), 1, atol=0.1)


def test_the_number_of_latents_may_be_given(table, tmp_path):
    assert written(table, 0, tmp_path / "d.h5", n_latents=2)[2]["n_latents"] == 2


def test_an_experiment_may_name_a_file_itself():
    experiment = {
        "title": "t",
        "dataset": {"file": "my.csv"},
        "methods": ["fastica"],
        "seeds": [0, 1],
    }
    study = plan_study({"experiments": {"mine": experiment}})
    (dataset,) = study.experiments["mine"].datasets
    assert dataset.own_file == "my.csv"
    assert dataset.name.startswith("mine-")
    assert not study.experiments["mine"].draws_heatmaps


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset": {"fil": "my.csv"}}, r"experiments\.mine\.dataset\.generator"),
        ({"dataset": {"file": "my.csv", "rows": 3}}, r"experiments\.mine\.dataset\.rows"),
        ({"dataset": {"file": "my.csv"}, "graphs": ["pc"]}, "no true graph"),
    ],
)
def test_mistakes_are_named(changes, message):
    experiment = {"title": "t", "methods": ["fastica"], "seeds": [0]} | changes
    with pytest.raises(UserError, match=message):
        plan_study({"experiments": {"mine": experiment}})
