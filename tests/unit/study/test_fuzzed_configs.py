"""Configs drawn at random: accepted as they are meant, or refused with the key's name, and nothing else."""

import copy
import itertools
import json
import re

from drawn_configs import CLASSES, configs
from hypothesis import given
from pydantic import BaseModel

from fuzzing import FUZZED
from pdgmm.errors import UserError
from pdgmm.study.config import Config
from pdgmm.study.planning import plan_study

FOLDER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
"""What the workflow takes for the name of a dataset, a method, a graph or an experiment in a path."""


def same(given_value, planned):
    """Whether a planned setting is what the config says; parts that it leaves out are free."""
    if isinstance(planned, BaseModel):
        return isinstance(given_value, dict) and all(
            key in type(planned).model_fields and same(value, getattr(planned, key))
            for key, value in given_value.items()
        )
    if isinstance(given_value, list):
        return (
            isinstance(planned, list | tuple)
            and len(planned) == len(given_value)
            and all(map(same, given_value, planned))
        )
    if isinstance(given_value, bool) or isinstance(planned, bool):
        return given_value is planned
    if isinstance(given_value, int) and isinstance(planned, float):
        return float(given_value) == planned
    return type(given_value) in (type(planned), int, float) and given_value == planned


def with_change(values, dotted, value):
    """Nested ``values`` with the one at ``dotted`` replaced."""
    key, _, rest = dotted.partition(".")
    inner = with_change(values.get(key, {}), rest, value) if rest else copy.deepcopy(value)
    return {**values, key: inner}


def expected_datasets(entry, experiment):
    """What the config gives for every dataset of the experiment."""
    values = {key: value for key, value in entry.items() if key != "generator"}
    variations = [{key: value} for key, sweep in experiment["vary"].items() for value in sweep] or [{}]
    points = itertools.product(*experiment["grid"].values())
    for point, variation in itertools.product(points, variations):
        expected = values
        for key, value in {
            **experiment["set"],
            **dict(zip(experiment["grid"], point, strict=True)),
            **variation,
        }.items():
            expected = with_change(expected, key, value)
        yield expected


def check_meaning(config, study):
    """The planned study is the given one: every value, and names that stay inside the project's folders."""
    for name, (selector, _) in CLASSES.items():
        if name == "datasets":
            continue
        planned = getattr(study, name)
        for key, entry in config[name].items():
            assert planned[key].method == entry.get(selector, key)
            assert same({k: v for k, v in entry.items() if k != selector}, planned[key].settings)
        assert all(FOLDER.fullmatch(entry) for entry in planned)
    ((name, experiment),) = config["experiments"].items()
    planned = study.experiments[name]
    assert FOLDER.fullmatch(name)
    assert all(
        re.fullmatch(r"[A-Za-z][A-Za-z0-9_.]*-[0-9a-f]{8}", dataset.name) for dataset in planned.datasets
    )
    for key in ("title", "seeds", "methods", "graphs"):
        assert same(experiment[key], getattr(planned.settings, key))
    for key in ("device", "gpus_per_training"):
        assert same(config.get(key, getattr(study.config, key)), getattr(study.config, key))
    track_code = config.get("track_code", True)
    assert study.config.track_code == {"true": True, "false": False}.get(track_code, track_code)
    for expected in expected_datasets(config["datasets"][experiment["dataset"]], experiment):
        assert any(same(expected, dataset.settings) for dataset in planned.datasets), expected
    for dataset in planned.datasets:
        # As the rules hand them on.
        again = type(dataset.settings).model_validate(json.loads(dataset.settings.canonical()))
        assert again.canonical() == dataset.settings.canonical()
        assert again == dataset.settings


def names_a_key(config, message):
    """Whether every refusal begins with the path of a key that is in the config, or should be."""
    heading, *problems = message.split("\n  - ")
    tops = {*map(str, config), *Config.model_fields}
    beginnings = tuple(f"{top}{end}" for top in tops for end in (".", ":", " "))
    return (
        heading == "the config is not valid:"
        and problems != []
        and all(problem.startswith(beginnings) for problem in problems)
    )


def test_a_config_is_accepted_as_it_is_meant_or_refused_by_its_key(record_property):
    counts = {"accepted": 0, "refused": 0}

    @FUZZED
    @given(configs())
    def check(config):
        before = copy.deepcopy(config)
        try:
            study = plan_study(config)
        except UserError as error:
            counts["refused"] += 1
            message = str(error)
            assert names_a_key(before, message), message
        else:
            counts["accepted"] += 1
            check_meaning(before, study)
        assert repr(config) == repr(before), "planning changed the config"

    check()
    record_property("tried", sum(counts.values()))
    assert min(counts.values()) >= 0.1 * sum(counts.values()), f"the draws show little: {counts}"
