"""Estimators damaged at random, and foreign ones: read as they were written, or refused by their folder."""

import copy
import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzing import FUZZED, outcomes_of_damages
from pdgmm import PDGMM
from pdgmm.errors import UserError
from pdgmm.analysis.fitting.saved_estimator import load_estimator, save_estimator
from pdgmm.store.models import DESCRIPTION, TENSORS

X = np.random.default_rng(0).normal(size=(600, 4)) * (np.random.default_rng(1).random((600, 4)) < 0.6)
FILES = [f"{part}/{name}" for part in ("straightening", "unmixing") for name in (TENSORS, DESCRIPTION)]

odd_json = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**15) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.fixed_dictionaries(
            {"array": inner, "dtype": st.sampled_from(["<f8", "|O", "<U3", "V8", "x", 3])}
        )
        | st.fixed_dictionaries(
            {"dict": st.dictionaries(st.sampled_from(["weight", "mean"]), inner, max_size=2)}
        )
    ),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def fitted():
    return PDGMM(n_latents=3, nonlinear=False, starts=1, random_state=0).fit(X)


@pytest.fixture
def folder(fitted, tmp_path):
    save_estimator(tmp_path / "fit", fitted)
    return tmp_path / "fit"


def meaning(estimator):
    return estimator.transform(X[:5]).tobytes(), estimator.score_samples(X[:5]).tobytes(), str(estimator)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_estimator_is_read_as_written_or_refused_by_its_name(folder, name, record_property):
    outcomes = outcomes_of_damages(folder / name, lambda: meaning(load_estimator(folder)))
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


def state_of(folder):
    path = folder / "unmixing" / DESCRIPTION
    description = json.loads(path.read_text())
    # As an earlier version wrote it: with its own checksum any change is noticed.
    del description["description_sha256"]

    def write(state):
        changed = copy.deepcopy(description)
        changed["notes"]["estimator"]["state"] = state
        path.write_text(json.dumps(changed))

    return description["notes"]["estimator"]["state"], write


def test_a_foreign_estimator_is_usable_or_refused_by_its_folder(folder, record_property):
    state, write = state_of(folder)
    outcomes = []

    @FUZZED
    @given(
        st.dictionaries(st.sampled_from([*sorted(state), "fit", "__class__", "other_"]), odd_json, max_size=2)
    )
    def check(changes):
        write(state | changes)
        try:
            with warnings.catch_warnings(action="ignore"):
                read = load_estimator(folder)
        except UserError as error:
            message = str(error)
            assert str(folder) in message
            assert "fit again" in message
            outcomes.append("refused")
        else:
            assert np.isfinite(read.transform(X[:5])).all()
            assert read.score_samples(X[:5]).shape == (5,)
            outcomes.append("read")

    check()
    record_property("tried", len(outcomes))
    assert {"read", "refused"} == set(outcomes)


@pytest.mark.parametrize(
    "key", ["transform", "fit", "_latents", "__class__", "__dict__", "_straightening", "x"]
)
def test_nothing_takes_the_place_of_a_method(folder, key):
    state, write = state_of(folder)
    write(state | {key: {}})
    with pytest.raises(UserError, match=f"fit is damaged.*{key!r}, which no estimator has"):
        load_estimator(folder)


@pytest.mark.parametrize("state", [None, [], {}, "x"])
def test_a_state_that_is_none_is_refused(folder, state):
    _, write = state_of(folder)
    write(state)
    with pytest.raises(UserError, match="fit is damaged"):
        load_estimator(folder)


def test_encoders_of_two_estimators_are_refused(folder, tmp_path):
    other = PDGMM(n_latents=2, nonlinear=False, starts=1, random_state=0).fit(X[:, :3])
    save_estimator(tmp_path / "other", other)
    for name in (TENSORS, DESCRIPTION):
        (folder / "straightening" / name).write_bytes((tmp_path / "other" / "unmixing" / name).read_bytes())
    with pytest.raises(UserError, match="fit is damaged"):
        load_estimator(folder)
