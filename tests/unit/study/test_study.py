"""The config check and the expansion of experiments."""

import copy
import re

import pytest

from pdgmm.errors import UserError
from pdgmm.methods.identity import Identity
from pdgmm.study.plan_summary import job_counts
from pdgmm.study.planning import plan_study

CONFIG = {
    "datasets": {"pdgmm": {"generator": "pdgmm"}},
    "experiments": {
        "t": {
            "title": "T",
            "dataset": "pdgmm",
            "methods": ["identity", "fastica"],
            "seeds": [0, 1],
        }
    },
}


def changed(path, value):
    """The valid config above with one value, found by a dotted path, replaced."""
    config = copy.deepcopy(CONFIG)
    *parents, last = path.split("/")
    inner = config
    for key in parents:
        inner = inner.setdefault(key, {})
    inner[last] = value
    return config


def plan_of(study, experiment="t"):
    return study.experiments[experiment].table_plan()


@pytest.mark.parametrize(
    ("sweeps", "expected"),
    [
        ({"vary": {"n": [5, 10], "delta": [0, 2]}}, ["pdgmm_n5", "pdgmm", "pdgmm_delta2"]),
        (
            {"grid": {"n": [5, 10], "delta": [0, 2]}},
            ["pdgmm_n5", "pdgmm_delta2_n5", "pdgmm", "pdgmm_delta2"],
        ),
        (
            {"grid": {"n": [5, 10]}, "vary": {"rho": [0.5, "1var"]}},
            ["pdgmm_n5", "pdgmm_n5_rho1var", "pdgmm", "pdgmm_rho1var"],
        ),
        ({"vary": {"samples.train": [1000]}}, ["pdgmm_train1000"]),
    ],
)
def test_vary_changes_one_setting_at_a_time_and_grid_takes_every_combination(sweeps, expected):
    planned = plan_study(changed("experiments/t", {**CONFIG["experiments"]["t"], **sweeps}))
    assert [dataset.name.rsplit("-", 1)[0] for dataset in planned.experiments["t"].datasets] == expected


def test_setting_one_of_several_counts_keeps_the_others():
    config = changed("datasets/pdgmm/samples", {"train": 300, "test": 77})
    config["experiments"]["t"]["set"] = {"samples": {"train": 500}}
    (dataset,) = plan_study(config).experiments["t"].datasets
    assert (dataset.settings.samples.train, dataset.settings.samples.test) == (500, 77)


def test_equal_meaning_has_one_name_and_different_meaning_another():
    base = plan_study(CONFIG).datasets
    written_out = plan_study(changed("datasets/pdgmm/delta", 0.0)).datasets
    other = plan_study(changed("datasets/pdgmm/m", 3)).datasets
    assert list(base) == list(written_out)
    assert list(base) != list(other)


def test_parts_that_chains_share_are_fitted_once():
    config = changed("experiments/t/methods", ["flow", "flow+fastica", "flow+spike_slab"])
    counts = job_counts(plan_study(config))
    assert (counts["train_stage1"], counts["train_stage2"]) == (2, 4), "two seeds"
    assert (counts["encode"], counts["encode_training"], counts["score"]) == (6, 2, 6)


def sweep(**vary):
    """The config above with one method whose settings are swept, and an experiment that sweeps nothing."""
    config = copy.deepcopy(CONFIG)
    plain = {**config["experiments"]["t"], "methods": ["fastica"]}
    config["experiments"] = {"t": {**plain, "vary_methods": vary}, "plain": plain}
    return config


def test_a_swept_setting_gives_methods_of_their_own():
    study = plan_study(sweep(**{"fastica.tol": [0.1, 1.0e-5], "fastica.fun": ["exp"]}))
    chains = study.experiments["t"].chains
    assert [chain.name for chain in chains] == [
        "fastica_tol0.1",
        "fastica_tol1e-05",
        "fastica_funexp",
    ]
    assert {chain.shown for chain in chains} == {"fastica"}
    assert chains[0].setting == {"fastica.tol": 0.1, "fastica.fun": "logcosh"}
    method = study.methods["fastica_tol0.1"]
    assert (method.method, method.settings.tol, method.settings.fun) == ("fastica", 0.1, "logcosh")
    assert [one["kind"] for one in plan_of(study)["methods"]] == ["fastica"] * 3


def test_a_swept_value_that_the_method_has_anyway_shares_its_runs():
    study = plan_study(sweep(**{"fastica.tol": [1.0e-4, 0.1], "fastica.fun": ["logcosh"]}))
    assert [method.name for method in study.experiments["t"].chains] == [
        "fastica",
        "fastica_tol0.1",
    ]
    assert len(study.runs()) == 4, "two seeds of two methods"


def test_a_variant_cannot_take_the_name_of_another_method():
    config = sweep(**{"fastica.max_iter": [7]})
    config["methods"] = {"fastica_max_iter7": {"method": "fastica"}}
    with pytest.raises(UserError, match="fastica_max_iter7"):
        plan_study(config)


def test_seeds_of_the_study_hold_where_an_experiment_names_none():
    config = copy.deepcopy(CONFIG)
    config["experiments"]["other"] = {**config["experiments"]["t"], "seeds": [7]}
    del config["experiments"]["t"]["seeds"]
    with pytest.raises(
        UserError, match="experiments.t.seeds: seeds are missing; give them here or at the top level"
    ):
        plan_study(config)
    config["seeds"] = [3, 4]
    planned = plan_study(config).experiments
    assert (planned["t"].settings.seeds, planned["other"].settings.seeds) == ([3, 4], [7])


def test_jobs_of_shared_runs_count_once():
    config = copy.deepcopy(CONFIG)
    once = job_counts(plan_study(config))
    config["experiments"]["again"] = config["experiments"]["t"]
    twice = job_counts(plan_study(config))
    assert once["train_stage1"] == once["encode"] == once["score"] == 4
    assert {name: twice[name] - count for name, count in once.items() if twice[name] != count} == {
        "tabulate": 1,
        "draw_heatmaps": 1,
    }


def test_changing_an_experiment_changes_only_its_own_runs():
    config = copy.deepcopy(CONFIG)
    config["experiments"]["other"] = {**config["experiments"]["t"], "set": {"m": 3}}
    before = plan_study(config)
    config["experiments"]["other"] |= {"set": {"m": 4}, "vary_methods": {}, "seeds": [0]}
    after = plan_study(config)
    assert list(before.experiments["t"].runs()) == list(after.experiments["t"].runs())
    assert plan_of(before) == plan_of(after)
    assert set(before.runs()) - set(after.runs()) == set(before.experiments["other"].runs())


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


def test_a_table_is_told_what_it_must_say_of_its_methods():
    config = changed("methods", {"lagrangian": {"steps": 3000, "widths": [2]}})
    config["experiments"]["t"]["methods"] = ["autoencoder+lagrangian", "flow+spike_slab", "oracle"]
    paper, ours, oracle = plan_of(plan_study(config))["methods"]
    assert paper["reduced"] == "lagrangian: steps 3,000 of 80,000, widths 2 of 10-50-50-50-50-10"
    assert (ours["reduced"], ours["role"], ours["told"]) == ("", "ours", [])
    assert (oracle["role"], oracle["told"]) == ("baseline", ["masks", "component"])


def test_a_variant_has_its_own_name_and_settings():
    config = changed("methods", {"loose": {"method": "lagrangian", "sparsity": 0.1}})
    config["experiments"]["t"]["methods"] = ["autoencoder+loose"]
    study = plan_study(config)
    assert (study.methods["loose"].method, study.last_part("autoencoder+loose").settings.sparsity) == (
        "lagrangian",
        0.1,
    )
    assert study.experiments["t"].chains[0].kind == "autoencoder+lagrangian"


def test_a_graph_method_has_its_own_name_and_settings():
    config = changed("graphs", {"strict": {"method": "pc", "alpha": 0.001}})
    config["experiments"]["t"]["graphs"] = ["strict", "boss"]
    graphs = plan_study(config).graphs
    assert (graphs["strict"].method, graphs["strict"].settings.alpha) == ("pc", 0.001)
    assert graphs["pc"].settings.alpha == 0.05


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


@pytest.mark.parametrize("named", [False, True], ids=["in the experiment", "under datasets"])
def test_a_file_and_methods_are_a_whole_experiment(named):
    dataset = {"file": "data/my.h5"}
    config = {"experiments": {"mine": {"dataset": dataset, "methods": ["spike_slab"]}}}
    if named:
        config["datasets"] = {"measured": dataset}
        config["experiments"]["mine"]["dataset"] = "measured"
    settings = plan_study(config).experiments["mine"].settings
    assert (settings.title, settings.seeds) == ("mine", [0, 1, 2])
    assert plan_study(config | {"seeds": [7]}).experiments["mine"].settings.seeds == [7]


def test_fits_can_only_be_compared_on_the_same_held_out_samples():
    config = copy.deepcopy(CONFIG)
    config["experiments"]["t"]["between_fits"] = True
    with pytest.raises(UserError, match="t.between_fits: every seed of .* draws its own held-out samples"):
        plan_study(config)
    config["experiments"]["t"] = {
        "dataset": {"generator": "pinwheel"},
        "methods": ["identity"],
        "seeds": [0, 1],
        "between_fits": True,
    }
    assert not plan_study(config).experiments["t"].draws_heatmaps


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


def test_toys_are_jobs_of_their_own():
    config = copy.deepcopy(CONFIG) | {"toys": {"mle_toy": [{"components": 3}]}}
    assert job_counts(plan_study(config))["search_likelihood"] == 1
    config["toys"]["mle_toy"][0]["components"] = 0
    with pytest.raises(UserError, match="toys.mle_toy"):
        plan_study(config)
