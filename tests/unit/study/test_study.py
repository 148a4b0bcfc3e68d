"""The expansion of experiments into datasets, chains and jobs."""

import copy

import pytest
from small_config import CONFIG, changed

from pdgmm.errors import UserError
from pdgmm.study.plan_summary import job_counts
from pdgmm.study.planning import plan_study


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


def test_toys_are_jobs_of_their_own():
    config = copy.deepcopy(CONFIG) | {"toys": {"mle_toy": [{"components": 3}]}}
    assert job_counts(plan_study(config))["search_likelihood"] == 1
    config["toys"]["mle_toy"][0]["components"] = 0
    with pytest.raises(UserError, match="toys.mle_toy"):
        plan_study(config)
