"""The figures that an experiment draws: costs, curves, traversals and components."""

import copy

import pytest
from small_config import CONFIG, changed

from pdgmm.errors import UserError
from pdgmm.study.plan_summary import job_counts
from pdgmm.study.planning import plan_study


def test_costs_are_drawn_where_only_the_number_of_latents_varies():
    config = changed("experiments/t/vary", {"n": [5, 10]})
    assert not plan_study(config).experiments["t"].draws_costs
    config["experiments"]["t"]["cost"] = True
    assert plan_study(config).experiments["t"].draws_costs
    config["experiments"]["t"]["vary"]["delta"] = [1]
    assert not plan_study(config).experiments["t"].draws_costs


@pytest.mark.parametrize("sweep", ["vary", "grid"])
def test_curves_are_drawn_against_the_one_number_that_varies(sweep):
    config = changed(f"experiments/t/{sweep}", {"samples.train": [1000, 2000]})
    assert job_counts(plan_study(config))["draw_curves"] == 0
    config["experiments"]["t"]["curves"] = ["mcc", "r2"]
    study = plan_study(config)
    assert study.experiments["t"].curve_key == "samples.train"
    assert job_counts(study)["draw_curves"] == 1


@pytest.mark.parametrize(
    ("experiment", "words"),
    [
        ({}, ["exactly one setting", "varies nothing;", "`vary` or `grid`", "take `curves` out"]),
        ({"vary": {"n": [4, 5], "delta": [0, 1]}}, ["varies n, delta;"]),
        ({"vary": {"n": [4, 5]}, "grid": {"delta": [0, 1]}}, ["varies n, delta;"]),
        (
            {"vary": {"n": [4, 5]}, "methods": ["fastica"], "vary_methods": {"fastica.tol": [0.1]}},
            ["varies n, fastica.tol;", "none under `vary_methods`"],
        ),
        ({"vary": {"rho": [0.5, "1var"]}}, ["rho takes the value '1var'; give rho numbers only"]),
        ({"vary": {"n": [5, 5]}}, ["n only takes the value 5; give n another one"]),
        ({"vary": {"n": [4, 5]}, "curves": ["mcc", "mcc"]}, ["['mcc', 'mcc'] names a score twice"]),
    ],
)
def test_what_cannot_be_drawn_as_a_curve_is_refused_with_the_key_and_the_fix(experiment, words):
    config = copy.deepcopy(CONFIG)
    config["experiments"]["t"] |= {"curves": ["mcc"], **experiment}
    with pytest.raises(UserError) as caught:
        plan_study(config)
    _, *lines = str(caught.value).splitlines()
    assert len(lines) == 1
    assert all(word in lines[0] for word in ["experiments.t.curves: ", *words]), lines


def test_traversals_are_drawn_once_for_every_method_and_of_small_images_only():
    config = copy.deepcopy(CONFIG)
    config["experiments"]["t"]["traversals"] = True
    with pytest.raises(UserError, match="t.traversals: the data of 'pdgmm' are not small images.*sprites"):
        plan_study(config)
    config["experiments"]["t"] |= {"dataset": {"generator": "sprites"}, "vary": {"size": [16, 24]}}
    assert job_counts(plan_study(config))["draw_traversals"] == 2 * 2
    config["experiments"]["t"]["traversals"] = False
    assert job_counts(plan_study(config))["draw_traversals"] == 0


def test_components_are_drawn_for_the_named_methods_and_of_small_images_only():
    config = copy.deepcopy(CONFIG)
    config["experiments"]["t"]["mixture_images"] = ["vade"]
    with pytest.raises(UserError, match="t.mixture_images: the data of 'pdgmm' are not small images.*digits"):
        plan_study(config)
    config["experiments"]["t"] = {
        "dataset": {"generator": "written_digits"},
        "vary": {"n_latents": [2, 3]},
        "methods": ["pca", "vade"],
        "seeds": [0],
        "mixture_images": ["vade"],
    }
    assert job_counts(plan_study(config))["draw_mixture_images"] == 2
    config["experiments"]["t"]["mixture_images"] = ["mfcvae"]
    with pytest.raises(UserError, match="t.mixture_images: 'mfcvae' is unknown; .*known are pca, vade"):
        plan_study(config)
