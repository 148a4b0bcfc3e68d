"""Configs that must be refused, and by which key."""

import math
import re

import pytest
from drawn_configs import OUTSIDE

from pdgmm.errors import UserError
from pdgmm.study.planning import plan_study


def small(**experiment):
    methods = {"title": "T", "dataset": "pdgmm", "methods": ["fastica"], "seeds": [0]}
    return {"datasets": {"pdgmm": {"n": 4}}, "experiments": {"t": methods | experiment}}


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("place", ["datasets", "methods", "graphs", "experiments"])
def test_a_name_that_could_leave_the_projects_folders_is_refused(place, name):
    config = small()
    entries = {"methods": "fastica", "graphs": "pc"}
    new = {"method": entries[place]} if place in entries else next(iter(config[place].values()))
    config.setdefault(place, {})[name] = new
    with pytest.raises(UserError, match=re.escape(f"{place}.{name}: a name has")):
        plan_study(config)


@pytest.mark.parametrize("key", ["n.x", "samples.train.x"])
def test_a_key_that_reaches_into_a_number_is_refused_and_not_ignored(key):
    with pytest.raises(UserError, match=rf"experiments\.t: {key} changes something inside a setting"):
        plan_study(small(vary={key: [1]}))


@pytest.mark.parametrize("sweep", ["vary", "grid", "vary_methods"])
def test_a_sweep_over_nothing_is_refused(sweep):
    key = "fastica.tol" if sweep == "vary_methods" else "n"
    with pytest.raises(UserError, match=rf"experiments\.t\.{sweep}\.{key}: the list is empty"):
        plan_study(small(**{sweep: {key: []}}))


def test_a_variation_inside_a_changed_group_stays_in_its_own_dataset():
    changed = small(set={"samples": {"train": 50}}, vary={"samples.train": [70], "n": [3]})
    trained = {
        dataset.settings.n: dataset.settings.samples.train
        for dataset in plan_study(changed).datasets.values()
    }
    assert trained == {4: 70, 3: 50}


def test_infinity_is_no_setting():
    for value in (math.inf, math.nan):
        with pytest.raises(UserError, match=r"datasets\.pdgmm\.delta"):
            plan_study({**small(), "datasets": {"pdgmm": {"delta": value}}})


@pytest.mark.parametrize("setting", ["n", "m", "x_dim", "samples.train", "samples.independent"])
def test_sizes_beyond_all_computers_are_refused(setting):
    for size in (10**12, 10**30):
        with pytest.raises(UserError, match=rf"experiments\.t.*{setting.rpartition('.')[2]}"):
            plan_study(small(vary={setting: [size]}))


@pytest.mark.parametrize("text", ["a\0b", "a\x1bb"])
@pytest.mark.parametrize("key", ["title", "note"])
def test_texts_that_no_command_can_hold_are_refused(key, text):
    with pytest.raises(UserError, match=rf"experiments\.t\.{key}: .*control characters"):
        plan_study(small(**{key: text}))
