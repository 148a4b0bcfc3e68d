"""Fitted estimators come back from disk as they were."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest

from pdgmm import PDGMM
from pdgmm.errors import UserError
from pdgmm.analysis.fitting.saved_estimator import load_estimator, save_estimator


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(1500, 3)) * (rng.random((1500, 3)) < 0.6)
    return pd.DataFrame(z @ rng.normal(size=(3, 4)), columns=list("abcd"))


@pytest.fixture(scope="module", params=[False, True], ids=["affine", "flow"])
def fitted(request, data):
    return PDGMM(n_latents=3, nonlinear=request.param, steps=5, random_state=0).fit(data)


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


def test_another_version_is_refused(fitted, tmp_path, monkeypatch):
    monkeypatch.setattr("pdgmm.analysis.fitting.saved_estimator.VERSION", 0)
    save_estimator(tmp_path, fitted)
    monkeypatch.undo()
    with pytest.raises(UserError, match="says 0.*fit it again"):
        load_estimator(tmp_path)


def test_a_half_written_folder_is_refused(fitted, tmp_path):
    save_estimator(tmp_path, fitted)
    (tmp_path / "unmixing" / "model.json").unlink()
    with pytest.raises(UserError, match=r"model.json does not exist"):
        load_estimator(tmp_path)
