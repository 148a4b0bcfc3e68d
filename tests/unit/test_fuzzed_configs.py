"""Configs drawn at random: accepted as they are meant, or refused with the key's name, and nothing else.

``PDGMM_FUZZ_EXAMPLES`` says how many are drawn; the draws are the same each time.
"""

import copy
import itertools
import json
import math
import os
import re
import types
import typing

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from pdgmm.config import Config, read_config
from pdgmm.data import GENERATORS, generator_class
from pdgmm.errors import UserError
from pdgmm.graphs import GRAPHS, graph_class
from pdgmm.stages import STAGE1, STAGE2, stage_class
from pdgmm.study import plan_study

FUZZED = settings(
    max_examples=int(os.environ.get("PDGMM_FUZZ_EXAMPLES", "100")),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
FOLDER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
"""What the workflow takes for the name of a dataset, a stage, a graph or an experiment in a path."""

OUTSIDE = [
    "../x",
    "..",
    ".",
    "/tmp/x",
    "a/b",
    "a\\b",
    "~",
    "a b",
    "a\nb",
    "x\0",
    "",
    "-rf",
    "$HOME",
    "ä",
    "a" * 300,
]
"""Names that would be paths somewhere else, options, or no file names."""

CLASSES = {
    "datasets": ("generator", {name: generator_class(name) for name in GENERATORS}),
    "stage1": ("method", {name: stage_class(STAGE1, name) for name in STAGE1}),
    "stage2": ("method", {name: stage_class(STAGE2, name) for name in STAGE2}),
    "graphs": ("method", {name: graph_class(name) for name in GRAPHS}),
}

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 300_000),
    st.sampled_from([10**400, -(2**63), 2**64]),
    st.floats(),
    st.sampled_from(["1e-3", "1e999", "1var", "auto", "5", "yes", "half", "", *OUTSIDE]),
    st.text(max_size=6),
)
junk = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
names = st.one_of(st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True), st.sampled_from(OUTSIDE))


def mostly(likely, otherwise, odds=12):
    """A draw of ``likely``, and once in ``odds`` of ``otherwise``."""
    return once_in(odds).flatmap(lambda now: otherwise if now else likely)


def once_in(odds):
    """True once in ``odds``: at a number in the middle, since hypothesis likes the ends of a range."""
    return st.integers(1, odds).map(lambda number: number == odds // 2)


def value_of(annotation):
    """Values of a setting's type, within its bounds or not."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return value_of(arguments[0])
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(value_of, arguments))
    if origin is list:
        return st.lists(value_of(arguments[0]), min_size=1, max_size=3)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return entry_of(annotation)
    plain = {
        int: st.integers(1, 400),
        float: st.floats(0.001, 0.999),
        bool: st.booleans(),
        str: st.text(max_size=5),
    }
    return plain.get(annotation, st.none())


def setting_of(model, name):
    field = model.model_fields[name]
    return st.one_of(
        st.just(field.get_default(call_default_factory=True)).map(plain_values), value_of(field.annotation)
    )


def plain_values(value):
    return value.model_dump() if isinstance(value, BaseModel) else value


def entry_of(model):
    """An entry of the config for a class of settings: some of its keys, now and then one that it has not."""
    known = st.fixed_dictionaries(
        {}, optional={name: mostly(setting_of(model, name), junk, 40) for name in model.model_fields}
    )
    return mostly(
        known,
        st.builds(
            lambda entry, key, value: entry | {key: value},
            known,
            names | st.sampled_from(["float", "a[b]"]),
            junk,
        ),
        40,
    )


def section(name):
    selector, classes = CLASSES[name]
    entry = st.sampled_from(sorted(classes)).flatmap(
        lambda chosen: entry_of(classes[chosen]).map(lambda values: {selector: chosen, **values})
    )
    return st.dictionaries(
        mostly(names.filter(lambda n: n not in OUTSIDE), names), mostly(entry, junk, 40), max_size=2
    )


@st.composite
def configs(draw):
    config = {name: draw(section(name)) for name in CLASSES}
    config["datasets"] = config["datasets"] or {"pdgmm": {}}
    dataset = draw(st.sampled_from(sorted(config["datasets"], key=str)))
    entry = config["datasets"][dataset]
    model = CLASSES["datasets"][1].get(entry.get("generator", dataset) if isinstance(entry, dict) else None)
    keys = [*(model.model_fields if model else ["n"]), "samples.train", "samples.test"]
    wrong = ["samples.train.x", "n.x", "", ".", "q", "samples."]

    def swept(most):
        chosen = draw(
            st.lists(mostly(st.sampled_from(keys), st.sampled_from(wrong), 20), max_size=most, unique=True)
        )
        return {
            key: draw(
                st.lists(
                    mostly(
                        setting_of(model, key)
                        if model and key in model.model_fields
                        else st.integers(2, 500),
                        junk,
                        40,
                    ),
                    min_size=draw(mostly(st.just(1), st.just(0), 20)),
                    max_size=2,
                )
            )
            for key in chosen
        }

    stages = [
        sorted({*catalogue, *config[name]}) for name, catalogue in (("stage1", STAGE1), ("stage2", STAGE2))
    ]
    method = st.builds("{}+{}".format, *map(st.sampled_from, stages))
    experiment = {
        "title": draw(mostly(st.text(max_size=5), junk, 40)),
        "dataset": draw(mostly(st.just(dataset), junk, 40)),
        "methods": draw(st.lists(mostly(method, st.text(max_size=5), 40), min_size=1, max_size=3)),
        "seeds": draw(mostly(st.lists(st.integers(0, 2**70), min_size=1, max_size=3, unique=True), junk, 40)),
        "set": {key: values[0] for key, values in swept(1).items() if values},
        "vary": swept(2),
        "grid": swept(1),
        "graphs": draw(
            mostly(
                st.lists(st.sampled_from(sorted({*GRAPHS, *config["graphs"]})), max_size=2, unique=True),
                junk,
                40,
            )
        ),
    }
    if draw(once_in(8)):
        key = draw(
            st.sampled_from(
                ["stage1.steps", "stage2.steps", "stage2.tol", "stage2.widths", "stage3.x", "x", "stage2."]
            )
        )
        experiment["vary_methods"] = {key: draw(st.lists(st.integers(1, 9) | junk, max_size=2))}
    config["experiments"] = {draw(mostly(st.just("t"), names, 20)): experiment}
    optional = {
        "device": st.sampled_from(["auto", "cpu", "cuda", "mps"]),
        "gpus_per_training": st.integers(0, 8),
        "track_code": st.sampled_from([True, False, "true", "false"]),
        "seeds": st.lists(st.integers(0, 9), max_size=2),
    }
    config |= draw(
        st.fixed_dictionaries({}, optional={key: mostly(value, junk, 40) for key, value in optional.items()})
    )
    if draw(once_in(40)):
        config[draw(names)] = draw(junk)
    return config


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
    return heading == "the config is not valid:" and any(
        problem.startswith((f"{top}.", f"{top}:", f"{top} ")) for problem in problems[:1] for top in tops
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


FRAGMENTS = st.sampled_from(
    [
        text.encode()
        for text in ["a", ": ", "\n", "  ", "- ", "[", "]", "{", "}", "&a ", "*a", "'", "? ", "| ", "\t", "#"]
    ]
    + [
        text.encode()
        for text in [
            "!!python/object:os.system ",
            "!!int ",
            "!!bool ",
            "!!timestamp ",
            "!!float ",
            "include: ",
        ]
    ]
    + [b"2024-13-45", b"0x", b"1e3", b"x.yaml", b"9" * 5000, b"\x00", b"\xff\xfe"]
)


def test_a_config_file_is_read_or_refused_by_its_name(tmp_path, record_property):
    path = tmp_path / "study.yaml"
    tried = []

    @FUZZED
    @given(st.one_of(st.lists(FRAGMENTS, max_size=12).map(b"".join), st.binary(max_size=30)))
    def check(content):
        tried.append(content)
        path.write_bytes(content)
        try:
            read = read_config([path])
        except UserError as error:
            message = str(error)
            assert str(tmp_path) in message
        else:
            assert repr(read) == repr(yaml.safe_load(content.decode("utf-8")))

    check()
    record_property("tried", len(tried))


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"a: 2024-13-45",
        b"a: " + b"9" * 5000,
        b"a: " + b"[" * 5000,
        b'include: "\\0"',
        b"!!python/object:os.system a",
        b"a: !!int ",
        b"a: !!bool x",
        b"a: !!timestamp x",
    ],
)
def test_texts_that_yaml_stumbles_over_are_refused_by_the_files_name(tmp_path, content):
    path = tmp_path / "study.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"study\.yaml"):
        read_config([path])


def small(**experiment):
    methods = {"title": "T", "dataset": "pdgmm", "methods": ["identity+fastica"], "seeds": [0]}
    return {"datasets": {"pdgmm": {"n": 4}}, "experiments": {"t": methods | experiment}}


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("place", ["datasets", "stage1", "stage2", "graphs", "experiments"])
def test_a_name_that_could_leave_the_projects_folders_is_refused(place, name):
    config = small()
    entries = {"stage1": "identity", "stage2": "fastica", "graphs": "pc"}
    new = {"method": entries[place]} if place in entries else next(iter(config[place].values()))
    config.setdefault(place, {})[name] = new
    with pytest.raises(UserError, match=re.escape(f"{place}.{name}: a name has")):
        plan_study(config)


@pytest.mark.parametrize("key", ["n.x", "samples.train.x"])
def test_a_key_that_reaches_into_a_number_is_refused_and_not_ignored(key):
    with pytest.raises(UserError, match=rf"experiments\.t: {key} reaches into a setting"):
        plan_study(small(vary={key: [1]}))


@pytest.mark.parametrize("sweep", ["vary", "grid", "vary_methods"])
def test_a_sweep_over_nothing_is_refused(sweep):
    key = "stage2.tol" if sweep == "vary_methods" else "n"
    with pytest.raises(UserError, match=rf"experiments\.t\.{sweep}\.{key}: an empty list"):
        plan_study(small(**{sweep: {key: []}}))


def test_a_variation_inside_a_changed_group_stays_in_its_own_dataset():
    changed = small(set={"samples": {"train": 50}}, vary={"samples.train": [70], "n": [3]})
    trained = {
        dataset.settings.n: dataset.settings.samples.train
        for dataset in plan_study(changed).datasets.values()
    }
    assert trained == {4: 70, 3: 50}


def test_an_unknown_key_is_named_whatever_it_is_called():
    config = small()
    config["datasets"]["pdgmm"]["float"] = 3
    with pytest.raises(UserError, match=r"datasets\.pdgmm\.float: unknown key"):
        plan_study(config)


def test_infinity_is_no_setting():
    for value in (math.inf, math.nan):
        with pytest.raises(UserError, match=r"datasets\.pdgmm\.delta"):
            plan_study({**small(), "datasets": {"pdgmm": {"delta": value}}})
