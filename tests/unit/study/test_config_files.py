"""The config files that come with the project."""

from pathlib import Path

import pytest
import yaml

from pdgmm.report.comparison import PublishedTable
from pdgmm.settings import flat
from pdgmm.study.config import read_config
from pdgmm.study.plan_summary import job_counts
from pdgmm.study.planning import plan_study

CONFIG = Path(__file__).parents[3] / "config"
SECTIONS = {"include", "device", "gpus_per_training", "seeds", "datasets", "methods", "experiments"}
SIZES = {"widths", "hidden_units", "batch_size", "steps", "pretraining_steps"}
"""Settings of methods that say how large they are and how long they are trained."""
FEWER_STEPS = {"learning_rate", "dual_learning_rate", "schedule", "extragradient"}
"""Settings that a shorter training needs otherwise; they stand in config/fewer_steps.yaml."""


def study(name):
    return plan_study(read_config([CONFIG / name]))


@pytest.mark.parametrize(
    "name", ["config.yaml", "cpu.yaml", "paper.yaml", "kivva.yaml", "cg.yaml", "ddl.yaml", "dica.yaml"]
)
def test_every_config_is_valid(name):
    assert sum(job_counts(study(name)).values()) > 10


def content(name):
    return yaml.safe_load((CONFIG / name).read_text())


def keys_of_methods(name):
    return {key for entry in content(name).get("methods", {}).values() for key in entry}


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


def test_methods_differ_in_sizes_and_in_what_fewer_steps_need_only():
    small, paper = study("cpu.yaml"), study("paper.yaml")
    differing = {
        key
        for name, method in small.methods.items()
        if name in paper.methods  # a sweep names its methods by what differs from the usual value
        for key, value in method.settings.model_dump().items()
        if value != getattr(paper.methods[name].settings, key)
    }
    assert differing == SIZES | FEWER_STEPS


def test_the_papers_sizes_are_the_papers():
    paper, small = study("paper.yaml"), study("cpu.yaml")
    for name in ("autoencoder", "lagrangian", "unconstrained", "vade_as_published", "cnn"):
        assert paper.methods[name].settings.reduced() == ""
        assert "steps" in small.methods[name].settings.reduced() or small.methods[name].settings.is_stand_in()
    assert small.methods["lagrangian"].settings.is_stand_in()
    published = {
        "autoencoder": {"widths": [50, 100, 100, 50], "batch_size": 6144, "steps": 5000},
        "lagrangian": {"widths": [10, 50, 50, 50, 50, 10], "batch_size": 6144, "steps": 80_000},
        "vade_as_published": {"hidden_units": [512, 512, 2048], "batch_size": 6144, "steps": 5001},
    }
    for name, sizes in published.items():
        assert paper.methods[name].settings.model_dump(include=set(sizes)) == sizes


@pytest.mark.parametrize("name", ["cpu.yaml", "paper.yaml"])
def test_experiments_share_their_runs(name):
    planned = study(name)
    separately = sum(len(list(experiment.runs())) for experiment in planned.experiments.values())
    assert len(planned.runs()) < 0.8 * separately
    runs = {experiment: set(one.runs()) for experiment, one in planned.experiments.items()}
    assert runs["table11"] <= runs["table1"]
    assert {method for _, _, method in runs["table8"] - runs["table1"]} == {
        "autoencoder+unconstrained",
        "unconstrained",
        "oracle",
    }


def test_experiments_that_repeat_a_table_meet_its_values():
    planned = study("cpu.yaml")
    for name, experiment in planned.experiments.items():
        # What `scaling` adds to its table is more settings of its own than of the table's.
        if experiment.settings.published_table is None or name == "scaling":
            continue
        table = PublishedTable(experiment.settings.published_table)
        measures = [(one.split, one.metric.replace("*", "1")) for one in table.paper.metrics]
        met = [
            any(
                table.compare(
                    dataset.settings.model_dump() | dict(chain.setting),
                    chain.kind,
                    *measure,
                    told=bool(chain.told),
                )
                for measure in measures
            )
            for dataset in experiment.datasets
            for chain in experiment.chains
        ]
        assert all(met), f"{name}: {met.count(False)} of {len(met)} have no published value"


@pytest.mark.parametrize("name", ["cpu.yaml", "kivva.yaml", "cg.yaml", "ddl.yaml", "dica.yaml"])
def test_a_table_knows_every_setting_that_the_paper_distinguishes(name):
    """Else a row with noise would be compared with the published value without."""
    for planned in study(name).experiments.values():
        if not planned.settings.published_table:
            continue
        paper = PublishedTable(planned.settings.published_table).paper
        known = {*paper.base, *paper.shown, *planned.settings.vary, *planned.settings.grid}
        for dataset in planned.datasets:
            settings = flat(dataset.settings.model_dump())
            usual = {key: value for key, value in paper.standard.items() if key not in known}
            differing = {key for key, value in usual.items() if settings.get(key, value) != value}
            assert not differing, (planned.name, differing)
