"""What `pdgmm plan` counts is what Snakemake would run, and one experiment can be asked for alone."""

import re

import pytest

from pdgmm.study.plan_summary import job_counts
from pdgmm.study.planning import plan_study

pytestmark = pytest.mark.slow


def two_experiments(config):
    """A study with another experiment, which shares a run with it and adds graphs, seeds and a swept setting."""
    config["experiments"]["other"] = {
        "title": "Other",
        "dataset": "pdgmm",
        "vary": {"k": [1, 2]},
        "methods": ["fastica"],
        "vary_methods": {"fastica.tol": [1.0e-4, 1.0e-3]},
        "graphs": ["pc"],
        "seeds": [0, 1],
    }
    return config


def test_the_plan_counts_the_jobs_of_snakemake(fresh):
    fresh.config = two_experiments(fresh.config)
    counted = {rule: count for rule, count in job_counts(plan_study(fresh.config)).items() if count}
    assert fresh.planned() == counted


def test_one_experiment_alone(finished):
    finished.config = two_experiments(finished.config)
    assert finished.planned("only_tiny") == {}
    everything, other = finished.planned(), finished.planned("only_other")
    assert other.pop("only_other") == 1
    assert everything - other == {"summarise": 1}
    assert other["draw_graphs"] == 2


def test_long_fits_start_first_and_are_scored_at_once(fresh):
    _, output = fresh.run("-n")
    priorities = {}
    for job in output.split("\nrule ")[1:]:
        part = re.search(r"\bpart=(\w+)", job)
        stated = re.search(r"priority: (\S+)", job)  # not said where it is 0
        priorities[part[1] if part else job.partition(":")[0]] = float(stated[1]) if stated else 0
    assert 0 == priorities["fastica"] < priorities["autoencoder"] < priorities["lagrangian"] < 1
    assert priorities["encode"] == priorities["encode_training"] == priorities["score"] == 1
