"""The profiles: Snakemake knows every key, and the Slurm profile plans the paper's grid without a cluster."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROFILES = sorted((ROOT / "profiles").glob("*/config.yaml"))
DRAWING = {
    *("draw_heatmaps", "draw_graphs", "draw_cost", "draw_curves", "draw_supports", "draw_balls"),
    *("draw_traversals", "draw_mixture_images", "draw_codes"),
}
GRAPHS = {"discover_true_graph", "discover_graph"}
REPORT = {"tabulate", *DRAWING}
SMALL_RULES = {"generate_dataset", "encode", "score", "score_graph", *GRAPHS, *REPORT}


def read(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text())


@pytest.mark.parametrize("profile", PROFILES, ids=lambda path: path.parent.name)
def test_snakemake_knows_every_key(profile):
    from snakemake.cli import get_argument_parser

    # With the options of the installed executor plugins, as on the command line.
    known = {option for action in get_argument_parser()._actions for option in action.option_strings}
    assert {f"--{key}" for key in yaml.safe_load(profile.read_text())} <= known


def test_what_makes_a_run_robust_is_in_both_profiles():
    slurm, default = read("slurm"), read("default")
    for key in ("rerun-incomplete", "keep-going", "show-failed-logs", "max-checksum-file-size"):
        assert slurm[key] == default[key], key


def test_only_partition_and_account_are_left_to_fill_in():
    empty = {key for key, value in read("slurm")["default-resources"].items() if value == ""}
    assert empty == {"slurm_partition", "slurm_account"}


def test_small_jobs_share_submissions_and_trainings_do_not():
    slurm = read("slurm")
    assert set(slurm["groups"]) == SMALL_RULES
    assert set(slurm["groups"].values()) == set(slurm["group-components"])
    assert "summarise" not in slurm["groups"], "it needs all tables, and would join them into one submission"


def planned(folder, *arguments):
    """What a dry run prints that puts everything into ``folder``."""
    command = [sys.executable, "-m", "snakemake", "-n", "--directory", str(folder), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def paper_plan(tmp_path_factory):
    """What Snakemake would submit for Table 1 at the paper's sizes and for the images."""
    folder = tmp_path_factory.mktemp("elsewhere")
    return planned(
        folder,
        "--profile",
        "profiles/slurm",
        "--configfile",
        "config/paper.yaml",
        "--",
        "only_table1",
        "balls",
    )


@pytest.mark.slow
def test_the_paper_grid_is_planned_with_few_submissions(paper_plan):
    groups = Counter(re.findall(r"Group job (\w+)", paper_plan))
    jobs = Counter(re.findall(r"^ *(?:local)?rule (\w+):", paper_plan, re.M))
    sizes = {name: int(size) for name, size in read("slurm")["group-components"].items()}
    assert groups["datasets"] <= 2 + jobs["generate_dataset"] / sizes["datasets"]
    assert groups["scores"] <= 2 + jobs["score"] / sizes["scores"]
    assert groups["report"] <= 2 + sum(jobs[rule] for rule in REPORT) / sizes["report"]
    assert groups["graphs"] <= 2 + sum(jobs[rule] for rule in GRAPHS) / sizes["graphs"]
    trainings = jobs["train_stage1"] + jobs["train_stage2"]
    assert sum(groups.values()) < trainings / 7
    alone = trainings + jobs["encode_training"]
    assert alone + sum(groups.values()) < 1.7 * jobs["score"], "a run costs less than 1.7 submissions"


@pytest.mark.slow
def test_trainings_alone_ask_for_gpus(paper_plan):
    for rule, body in re.findall(r"^ *rule (\w+):\n(.*?resources: [^\n]*)", paper_plan, re.M | re.S):
        uses_none = re.search(r"wildcards: .*part=(identity|fastica)$", body, re.M)
        wanted = rule.startswith("train_") and not uses_none
        assert ("gpu=1" in body.rpartition("resources:")[2]) == wanted, body


@pytest.mark.slow
def test_nodes_need_not_share_a_disk_for_the_plan(tmp_path):
    assert "rule train_stage1" in planned(tmp_path, "--cores", "2", "--shared-fs-usage", "none")
