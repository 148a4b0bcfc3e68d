"""A config that is not valid: the message names the key, the value and what is allowed."""

import re

import pytest
from small_config import CONFIG, changed

from pdgmm.errors import UserError
from pdgmm.methods.identity import Identity
from pdgmm.study.planning import plan_study


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("identity+fastica", "fastica"),
        ("identity+none", "identity"),
        ("keypoints+identity+spike_slab", "keypoints+spike_slab"),
    ],
)
def test_a_part_that_does_nothing_is_left_out_and_the_right_name_is_said(old, new):
    with pytest.raises(
        UserError, match=rf"experiments\.t\.methods.*{re.escape(repr(old))}.*{re.escape(repr(new))}"
    ):
        plan_study(changed("experiments/t/methods", [old]))


@pytest.mark.parametrize(
    ("dataset", "method", "words"),
    [
        ({"file": "my.csv"}, "oracle", ["oracle", "'masks'", "'component'", "'file'"]),
        ({"generator": "pdgmm"}, "keypoints+spike_slab", ["keypoints", "images", "'pdgmm'"]),
        ({"generator": "balls"}, "fastica+keypoints", ["keypoints", "fastica+keypoints"]),
        ({"generator": "pdgmm"}, "sees_u", ["sees_u", "'u'", "'d'", "'pdgmm'"]),
        *(
            ({"generator": "pdgmm"}, name, [f"{name} ", "'u'", "'d'", "'pdgmm'"])
            for name in (
                "cg_vae",
                "cg_gan",
                "domain_flow",
                "nonstationary",
                "fastica_per_domain",
                "domain_means",
            )
        ),
    ],
)
def test_data_that_lack_what_a_method_needs_are_named_with_it(dataset, method, words, monkeypatch):
    monkeypatch.setattr(Identity, "sees", ("u",))
    config = {
        "datasets": {"d": dataset},
        "methods": {"sees_u": {"method": "identity"}},
        "experiments": {"t": {"dataset": "d", "methods": [method], "seeds": [0]}},
    }
    with pytest.raises(UserError) as caught:
        plan_study(config)
    assert all(word in str(caught.value) for word in ["experiments.t.methods", *words]), caught.value


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("experimentz", {}, ["experimentz: unknown key", "did you mean 'experiments'", "datasets"]),
        ("experiments/t/seedz", [1], ["experiments.t.seedz: unknown key", "did you mean 'seeds'"]),
        ("datasets/pdgmm/samples", {"trian": 5}, ["datasets.pdgmm.samples.trian", "did you mean 'train'"]),
        (
            "methods/lagrangian",
            {"sparsity": "1e-3"},
            ["methods.lagrangian.sparsity", "'1e-3'", "write 1.0e-03"],
        ),
        ("datasets/pdgmm/n", 1, ["datasets.pdgmm.n", "1", "greater than or equal to 2"]),
        ("datasets/pdgmm/rho", "half", ["datasets.pdgmm.rho", "'half'", "'1var'"]),
        ("datasets/pdgmm/generator", "pdgm", ["datasets.pdgmm.generator", "did you mean 'pdgmm'"]),
        ("experiments/t/methods", ["fastika"], ["experiments.t.methods", "did you mean 'fastica'"]),
        ("experiments/t/methods", ["flow+"], ["experiments.t.methods", "flow+", "''"]),
        ("experiments/t/graphs", ["pcc"], ["experiments.t.graphs", "did you mean 'pc'", "boss"]),
        ("experiments/t/graphs", ["pc", "pc"], ["experiments.t.graphs", "twice"]),
        ("graphs/strict", {"method": "bos"}, ["graphs.strict.method", "'bos'", "did you mean 'boss'"]),
        ("graphs/pc", {"method": "boss"}, ["graphs.pc.method", "'boss'", "rename the entry"]),
        ("experiments/t/dataset", "balls", ["experiments.t.dataset", "'balls'", "known are pdgmm"]),
        ("experiments/t/seeds", [-1], ["experiments.t.seeds", "-1 is negative"]),
        ("experiments/t/vary", {"q": [1]}, ["experiments.t.q: unknown key", "with {'q': 1}"]),
        ("experiments/t/vary_methods", {"tol": [1.0]}, ["vary_methods.tol", "identity"]),
        ("experiments/t/vary_methods", {"fastica.tul": [1.0]}, ["vary_methods.fastica.tul", "fastica.tol"]),
        ("experiments/t/published_table", "pdgmm/99", ["experiments.t.published_table", "'pdgmm/99'"]),
        ("device", "gpu", ["device", "'gpu'", "'cuda'"]),
        ("methods/flow.wide", {"method": "flow"}, ["methods.flow.wide", "letters, digits"]),
        ("experiments/summary", CONFIG["experiments"]["t"], ["experiments.summary", "choose another"]),
    ],
)
def test_an_error_names_the_key_the_value_and_what_is_allowed(path, value, words):
    with pytest.raises(UserError) as caught:
        plan_study(changed(path, value))
    message = str(caught.value)
    assert all(word in message for word in words), message


def test_all_errors_come_at_once():
    config = changed("methods", {"lagrangian": {"sparsity": "x"}, "fastica": {"tol": -1.0}})
    with pytest.raises(UserError) as caught:
        plan_study(config)
    heading, *lines = str(caught.value).splitlines()
    assert heading == "the config is not valid:"
    assert [line.split(":")[0] for line in lines] == [
        "  - methods.fastica.tol",
        "  - methods.lagrangian.sparsity",
    ]
