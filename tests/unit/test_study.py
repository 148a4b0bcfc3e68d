"""The config check and the expansion of experiments."""

import copy

import pytest

from pdgmm.config import read_config
from pdgmm.errors import UserError
from pdgmm.plan_summary import plan_summary
from pdgmm.study import plan_study, split_method

CONFIG = {
    "datasets": {"pdgmm": {"generator": "pdgmm"}},
    "experiments": {
        "t": {
            "title": "T",
            "dataset": "pdgmm",
            "methods": ["identity+none", "identity+fastica"],
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


def names(config):
    return [dataset.name.rsplit("-", 1)[0] for dataset in plan_study(config).experiments["t"].datasets]


def test_vary_sweeps_one_setting_at_a_time_and_counts_the_base_once():
    config = changed("experiments/t/vary", {"n": [5, 10], "delta": [0, 2]})
    assert names(config) == ["pdgmm_n5", "pdgmm", "pdgmm_delta2"]


def test_grid_takes_every_combination():
    config = changed("experiments/t/grid", {"n": [5, 10], "delta": [0, 2]})
    assert names(config) == ["pdgmm_n5", "pdgmm_n5_delta2", "pdgmm", "pdgmm_delta2"]


def test_a_grid_point_is_varied_too():
    config = changed("experiments/t/grid", {"n": [5, 10]})
    config["experiments"]["t"]["vary"] = {"rho": [0.5, "1var"]}
    assert names(config) == ["pdgmm_n5", "pdgmm_n5_rho1var", "pdgmm", "pdgmm_rho1var"]


def test_a_dotted_key_reaches_inside():
    config = changed("experiments/t/vary", {"samples.train": [1000]})
    assert names(config) == ["pdgmm_train1000"]


def test_equal_meaning_has_one_name_and_different_meaning_another():
    base = plan_study(CONFIG).datasets
    written_out = plan_study(changed("datasets/pdgmm/delta", 0.0)).datasets
    other = plan_study(changed("datasets/pdgmm/m", 3)).datasets
    assert list(base) == list(written_out)
    assert list(base) != list(other)


def test_runs_shared_by_experiments_count_once():
    config = copy.deepcopy(CONFIG)
    config["experiments"]["again"] = config["experiments"]["t"]
    study = plan_study(config)
    assert len(study.runs()) == len(plan_study(CONFIG).runs()) == 4
    assert "all, shared runs once" in plan_summary(study)


def test_plan_summary_counts_stage1_once_for_two_stage2():
    *_, last = plan_summary(plan_study(CONFIG)).splitlines()
    assert last.split()[-4:] == ["2", "2", "4", "4"]


def test_a_variant_has_its_own_name_and_settings():
    config = changed("stage2", {"loose": {"method": "lagrangian", "sparsity": 0.1}})
    config["experiments"]["t"]["methods"] = ["identity+loose"]
    stage = plan_study(config).stage2["loose"]
    assert (stage.method, stage.settings.sparsity) == ("lagrangian", 0.1)


def test_split_method():
    assert split_method("identity+fastica") == ("identity", "fastica")
    with pytest.raises(UserError, match="identity-fastica"):
        split_method("identity-fastica")


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("experimentz", {}, ["experimentz: unknown key", "did you mean 'experiments'", "datasets"]),
        ("experiments/t/seedz", [1], ["experiments.t.seedz: unknown key", "did you mean 'seeds'"]),
        ("datasets/pdgmm/nn", 4, ["datasets.pdgmm.nn: unknown key (value 4)", "rho"]),
        ("datasets/pdgmm/samples", {"trian": 5}, ["datasets.pdgmm.samples.trian", "did you mean 'train'"]),
        ("stage2/lagrangian", {"sparsty": 1.0}, ["stage2.lagrangian.sparsty", "did you mean 'sparsity'"]),
        (
            "stage2/lagrangian",
            {"sparsity": "1e-3"},
            ["stage2.lagrangian.sparsity", "'1e-3'", "write 1.0e-03"],
        ),
        ("datasets/pdgmm/n", "ten", ["datasets.pdgmm.n", "'ten'", "integer"]),
        ("datasets/pdgmm/n", 1, ["datasets.pdgmm.n", "1", "greater than or equal to 2"]),
        ("datasets/pdgmm/rho", "half", ["datasets.pdgmm.rho", "'half'", "'1var'"]),
        ("datasets/pdgmm/noise", "cauchy", ["datasets.pdgmm.noise", "'cauchy'", "gumbel"]),
        ("datasets/pdgmm/generator", "pdgm", ["datasets.pdgmm.generator", "did you mean 'pdgmm'"]),
        ("experiments/t/methods", ["identity+fastika"], ["experiments.t.methods", "did you mean 'fastica'"]),
        ("experiments/t/methods", ["fastica"], ["experiments.t.methods", "'fastica'", "<stage1>+<stage2>"]),
        ("experiments/t/methods", [], ["experiments.t.methods", "at least 1"]),
        ("experiments/t/dataset", "balls", ["experiments.t.dataset", "'balls'", "known are pdgmm"]),
        ("experiments/t/seeds", [1, 1], ["experiments.t.seeds", "twice"]),
        ("experiments/t/seeds", [-1], ["experiments.t.seeds", "-1 is negative"]),
        ("experiments/t/vary", {"q": [1]}, ["experiments.t.q: unknown key", "reached by {'q': 1}"]),
        ("experiments/t/title", None, ["experiments.t.title", "None", "string"]),
        ("device", "gpu", ["device", "'gpu'", "'cuda'"]),
        ("stage1/../x", {}, ["stage1.", "letters, digits"]),
    ],
)
def test_an_error_names_the_key_the_value_and_what_is_allowed(path, value, words):
    with pytest.raises(UserError) as caught:
        plan_study(changed(path, value))
    message = str(caught.value)
    assert all(word in message for word in words), message


def test_a_value_of_several_types_has_one_line():
    with pytest.raises(UserError) as caught:
        plan_study(changed("datasets/pdgmm/rho", "half"))
    _, line = str(caught.value).splitlines()
    assert line == "  - datasets.pdgmm.rho: 'half': input should be '1var', or a valid number"


def test_all_errors_come_at_once():
    config = changed("stage2", {"lagrangian": {"sparsity": "x"}, "fastica": {"tol": -1.0}})
    with pytest.raises(UserError) as caught:
        plan_study(config)
    heading, *lines = str(caught.value).splitlines()
    assert heading == "the config is not valid:"
    assert [line.split(":")[0] for line in lines] == [
        "  - stage2.fastica.tol",
        "  - stage2.lagrangian.sparsity",
    ]


def test_missing_sections_are_named():
    with pytest.raises(UserError, match="datasets: this key is needed"):
        plan_study({"experiments": CONFIG["experiments"]})


def test_config_files_merge_like_snakemake(tmp_path):
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("a: {x: 1, y: [1, 2]}\nb: 1\n")
    second.write_text("a: {y: [3]}\n")
    assert read_config([first, second]) == {"a": {"x": 1, "y": [3]}, "b": 1}


@pytest.mark.parametrize(("content", "words"), [("a: [1", "no valid YAML"), ("just text", "just text")])
def test_an_unreadable_config_is_named(tmp_path, content, words):
    path = tmp_path / "bad.yaml"
    path.write_text(content)
    with pytest.raises(UserError, match=words):
        read_config([path])
    with pytest.raises(UserError, match="missing.yaml"):
        read_config([tmp_path / "missing.yaml"])
