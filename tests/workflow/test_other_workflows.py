"""The workflow used from another one: as a module, and by a study that `pdgmm new` wrote."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from conftest import ROOT, TINY
from pdgmm.workflow_support.new_study import write_new_study

pytestmark = pytest.mark.slow

OUTER = (Path(__file__).parent / "outer.smk").read_text()


def planned(folder: Path, *arguments):
    """What a dry run in a folder outside the project says."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", "-n", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rules_of_another_workflow_use_the_tables_of_a_part_of_its_config(tmp_path):
    (tmp_path / "Snakefile").write_text(OUTER)
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"colour": "blue", "hidden": TINY}))
    said = planned(tmp_path)
    # Its own first rule is what is made by default, by our rules under their new names.
    assert re.search(r"^count +1$", said, re.M)
    assert re.search(r"^pdgmm_train_stage1 +2$", said, re.M)
    assert re.search(r"^pdgmm_tabulate +1$", said, re.M)
    assert "pdgmm_draw_heatmaps" not in said
    outputs = re.findall(r"output: (.+)$", said, re.M)
    assert all(
        path.startswith("hidden/") for line in outputs for path in line.split(", ")[:1] if line != "count.txt"
    )


def test_a_new_study_is_planned_and_takes_another_config(tmp_path):
    write_new_study(tmp_path)
    # `include` is relative to the file that names it, here as in the repository.
    (tmp_path / "config" / "smaller.yaml").write_text(
        "include: config.yaml\nexperiments: {first: {seeds: [3], methods: [fastica]}}\n"
    )
    said = planned(tmp_path, "--configfile", "config/smaller.yaml")
    assert re.search(r"^score +2$", said, re.M)
    assert re.search(r"^all +1$", said, re.M)
    assert "seed-0" not in said
