"""Configs to be drawn at random: mostly such as a user would write, now and then not."""

import types
import typing

from hypothesis import strategies as st
from pydantic import BaseModel

from pdgmm.data import GENERATORS, generator_class
from pdgmm.evaluation.graphs import GRAPHS, graph_class
from pdgmm.methods import METHODS, method_class

OUTSIDE = ["../x", "..", ".", "/tmp/x", "a\\b", "~", "a b", "a\nb", "x\0", "", "-rf", "$HOME", "ä", "a" * 300]
"""Names that would be paths somewhere else, options, or no file names."""

CLASSES = {
    "datasets": ("generator", {name: generator_class(name) for name in GENERATORS}),
    "methods": ("method", {name: method_class(name) for name in METHODS}),
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

    # The ones left out need images or the truth, which few of the datasets have.
    usual = sorted({*METHODS, *config["methods"]} - {"keypoints", "cnn", "oracle", "identity"})
    method = st.lists(st.sampled_from(usual), min_size=1, max_size=3).map("+".join)
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
            st.sampled_from(["flow.steps", "lagrangian.steps", "fastica.tol", "vade.x", "x", "fastica."])
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
