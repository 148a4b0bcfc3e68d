"""The config files that come with the project."""

from pathlib import Path

import pytest
import yaml

from pdgmm.config import read_config
from pdgmm.plan_summary import job_counts
from pdgmm.planning import plan_study
from pdgmm.report.comparison import PublishedTable

CONFIG = Path(__file__).parents[2] / "config"
SECTIONS = {
    "include",
    "device",
    "gpus_per_training",
    "seeds",
    "datasets",
    "stage1",
    "stage2",
    "experiments",
    "features",
}
SIZES = {"widths", "hidden_units", "batch_size", "steps", "pretraining_steps"}
"""Settings of methods that say how large they are and how long they are trained."""
FEWER_STEPS = {"learning_rate", "dual_learning_rate", "schedule", "standardise", "extragradient"}
"""Settings that a shorter training needs otherwise; they stand in config/fewer_steps.yaml."""
METHODS = ("features", "stage1", "stage2")


def study(name):
    return plan_study(read_config([CONFIG / name]))


@pytest.mark.parametrize("name", ["config.yaml", "cpu.yaml", "paper.yaml"])
def test_every_config_is_valid(name):
    assert sum(job_counts(study(name)).values()) > 10


def content(name):
    return yaml.safe_load((CONFIG / name).read_text())


def keys_of_methods(name):
    found = content(name)
    return {key for section in METHODS for entry in found.get(section, {}).values() for key in entry}


def test_the_same_experiments_are_run_at_both_sizes():
    small, paper = study("cpu.yaml"), study("paper.yaml")
    assert list(small.experiments) == list(paper.experiments)
    for name, planned in small.experiments.items():
        other = paper.experiments[name]
        assert planned.settings.model_dump(exclude={"seeds"}) == other.settings.model_dump(exclude={"seeds"})


@pytest.mark.parametrize("name", ["cpu.yaml", "paper.yaml"])
def test_only_sizes_stand_in_the_files_of_sizes(name):
    found = content(name)
    assert found.keys() <= SECTIONS
    assert all(entry.keys() == {"samples"} for entry in found["datasets"].values())
    assert all(entry.keys() == {"seeds"} for entry in found.get("experiments", {}).values())
    assert keys_of_methods(name) <= SIZES


def test_what_fewer_steps_need_stands_in_one_place():
    assert content("fewer_steps.yaml").keys() == {"include", "stage1", "stage2"}
    assert keys_of_methods("fewer_steps.yaml") == FEWER_STEPS
    assert not FEWER_STEPS & keys_of_methods("experiments.yaml")


def test_methods_differ_in_sizes_and_in_what_fewer_steps_need_only():
    small, paper = study("cpu.yaml"), study("paper.yaml")
    differing = {
        key
        for section in METHODS
        for name, method in getattr(small, section).items()
        if name in getattr(paper, section)  # a sweep names its stages by what differs from the usual value
        for key, value in method.settings.model_dump().items()
        if value != getattr(getattr(paper, section)[name].settings, key)
    }
    assert differing == SIZES | FEWER_STEPS


def test_the_papers_sizes_are_the_papers():
    paper, small = study("paper.yaml"), study("cpu.yaml")
    for method in ("autoencoder+lagrangian", "autoencoder+unconstrained", "autoencoder+vade_as_published"):
        assert paper.reduced(method) == ""
        assert "steps" in small.reduced(method)
    published = {
        ("stage1", "autoencoder"): {"widths": [50, 100, 100, 50], "batch_size": 6144, "steps": 5000},
        ("stage2", "lagrangian"): {"widths": [10, 50, 50, 50, 50, 10], "batch_size": 6144, "steps": 80_000},
        ("stage2", "vade_as_published"): {
            "hidden_units": [512, 512, 2048],
            "batch_size": 6144,
            "steps": 5001,
        },
    }
    for (section, name), sizes in published.items():
        assert getattr(paper, section)[name].settings.model_dump(include=set(sizes)) == sizes
    assert paper.features["cnn"].settings.reduced() == ""
    assert "steps" in small.features["cnn"].settings.reduced()


@pytest.mark.parametrize("name", ["cpu.yaml", "paper.yaml"])
def test_experiments_share_their_runs(name):
    planned = study(name)
    separately = sum(len(list(experiment.runs())) for experiment in planned.experiments.values())
    assert len(planned.runs()) < 0.8 * separately
    runs = {experiment: set(one.runs()) for experiment, one in planned.experiments.items()}
    assert runs["table11"] <= runs["table1"]
    assert {method for _, _, method in runs["table8"] - runs["table1"]} == {
        "autoencoder+unconstrained",
        "identity+oracle",
    }


def test_experiments_that_repeat_a_table_meet_its_values():
    planned = study("cpu.yaml")
    for name, experiment in planned.experiments.items():
        table = experiment.settings.published_table
        # What it adds to the table is more settings of its own than of the table's.
        if table is None or name == "scaling":
            continue
        published = PublishedTable(table)
        measures = [(one.split, one.metric.replace("*", "1")) for one in published.paper.metrics]
        met = [
            any(
                published.compare(dataset.settings.model_dump() | dict(method.setting), kind, *measure)
                for measure in measures
            )
            for dataset in experiment.datasets
            for method in experiment.methods
            if (kind := planned.kind(method.name))
        ]
        assert all(met), f"{name}: {met.count(False)} of {len(met)} have no published value"
