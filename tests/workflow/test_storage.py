"""Data and results in storage that nodes reach without a shared disk; a folder stands for a bucket."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def storage(bucket):
    return (
        "--default-storage-provider",
        "fs",
        "--default-storage-prefix",
        str(bucket),
        "--shared-fs-usage",
        "none",
    )


def test_the_default_study_and_the_one_on_images_are_planned(tmp_path):
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "2", "--directory", str(tmp_path / "run")]
    done = subprocess.run(
        [*command, *storage(tmp_path / "bucket"), "--", "all", "balls"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "rule draw_balls" in done.stdout
    assert f"{tmp_path / 'bucket'}/results/tables/balls.csv (send to storage)" in done.stdout


def test_a_study_runs_with_all_its_files_in_the_bucket(fresh, finished_once, tmp_path):
    if shutil.which("rsync") is None:
        pytest.skip("the storage plugin copies with rsync, which is not installed")
    config = fresh.config
    config["experiments"]["tiny"]["methods"] = ["fastica"]
    fresh.config = config
    bucket = tmp_path / "bucket"
    fresh.run(*storage(bucket))
    assert not (fresh.folder / "results").exists()
    assert not (fresh.folder / "datasets").exists()
    assert (bucket / "results" / "tables" / "tiny.csv").exists()
    wanted = finished_once.files("results/*/seed-0/fastica/scores.json")
    assert {path: (bucket / path).read_bytes() for path in wanted} == wanted
    assert not fresh.planned(*storage(bucket)), "a second run does nothing"
