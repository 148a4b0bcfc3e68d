"""Fitted estimators come back from disk as they were; damaged and foreign ones are refused by their folder."""

import json
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest

from fuzzing import outcomes_of_damages
from pdgmm import PDGMM
from pdgmm.analysis.fitting.saved_estimator import load_estimator, save_estimator
from pdgmm.errors import UserError
from pdgmm.models.model_files import DESCRIPTION, TENSORS
from pdgmm.store.checked_json import CHECKSUM, write_checked_json

FILES = [f"{part}/{name}" for part in ("straightening", "unmixing") for name in (TENSORS, DESCRIPTION)]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(1500, 3)) * (rng.random((1500, 3)) < 0.6)
    return pd.DataFrame(z @ rng.normal(size=(3, 4)), columns=list("abcd"))


@pytest.fixture(scope="module", params=[False, True], ids=["affine", "flow"])
def fitted(request, data):
    return PDGMM(n_latents=3, nonlinear=request.param, steps=5, starts=1, random_state=0).fit(data)


@pytest.fixture
def folder(data, tmp_path):
    save_estimator(tmp_path / "fit", PDGMM(3, nonlinear=False, starts=1, random_state=0).fit(data))
    return tmp_path / "fit"


def test_saved_and_loaded_it_says_the_same(fitted, data, tmp_path):
    save_estimator(tmp_path, fitted)
    loaded = load_estimator(tmp_path)
    np.testing.assert_array_equal(loaded.transform(data), fitted.transform(data))
    np.testing.assert_array_equal(loaded.score_samples(data), fitted.score_samples(data))
    np.testing.assert_array_equal(loaded.spike_probability_, fitted.spike_probability_)
    assert loaded.get_params() == fitted.get_params()
    assert list(loaded.feature_names_in_) == list("abcd")
    assert loaded.n_latents_ == 3
    assert loaded.flow_notes_ == fitted.flow_notes_


def test_a_pickle_and_parallel_use_work(fitted, data):
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform(data), fitted.transform(data))
    halves = joblib.Parallel(n_jobs=2)(
        joblib.delayed(fitted.transform)(half) for half in (data[:700], data[700:])
    )
    np.testing.assert_allclose(np.vstack(halves), fitted.transform(data), atol=1e-5)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_estimator_is_read_as_written_or_refused_by_its_name(folder, data, name, record_property):
    def meaning():
        estimator = load_estimator(folder)
        return estimator.transform(data[:5]).tobytes(), estimator.score_samples(data[:5]).tobytes()

    outcomes = outcomes_of_damages(folder / name, meaning)
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


def rewrite(folder, change):
    """Change what the folder says of its estimator, and give it a right checksum."""
    path = folder / "unmixing" / DESCRIPTION
    description = json.loads(path.read_text())
    del description[CHECKSUM]
    change(description["notes"]["estimator"])
    write_checked_json(path, description)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, {}) for key in ("transform", "fit", "_latents", "__class__", "_straightening", "x")),
        ("n_features_in_", 10**15),
        ("n_features_in_", 3),
        ("n_latents_", None),
        ("_prior", {"dict": {}}),
        ("_residual_variance", {"array": ["a"], "dtype": "<U3"}),
        ("spike_width_", {"array": [None], "dtype": "V8"}),
    ],
)
def test_a_foreign_state_is_refused(folder, key, value):
    rewrite(folder, lambda saved: saved["state"].update({key: value}))
    with pytest.raises(UserError, match=r"fit is damaged.*fit again"):
        load_estimator(folder)


def test_another_version_and_a_missing_file_are_named(folder):
    rewrite(folder, lambda saved: saved.update(version=0))
    with pytest.raises(UserError, match="says 0.*fit it again"):
        load_estimator(folder)
    (folder / "unmixing" / DESCRIPTION).unlink()
    with pytest.raises(UserError, match=rf"{DESCRIPTION} does not exist: .*`pdgmm fit`"):
        load_estimator(folder)


def test_encoders_of_two_estimators_are_refused(folder, data, tmp_path):
    other = PDGMM(2, nonlinear=False, starts=1, random_state=0).fit(data[["a", "b", "c"]])
    save_estimator(tmp_path / "other", other)
    for name in (TENSORS, DESCRIPTION):
        (folder / "straightening" / name).write_bytes((tmp_path / "other" / "unmixing" / name).read_bytes())
    with pytest.raises(UserError, match="fit is damaged"):
        load_estimator(folder)
