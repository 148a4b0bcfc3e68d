"""Real Snakemake runs on a tiny study, in copies of the project that a test may change."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml
from filelock import FileLock

ROOT = Path(__file__).parents[2]
PARTS = ("environment.yml", "src", "workflow", "config", "profiles")

TINY = {
    "datasets": {
        "pdgmm": {
            "n": 4,
            "m": 3,
            "samples": {"train": 3000, "test": 300, "unmasked": 300, "independent": 300},
        }
    },
    "methods": {
        "autoencoder": {"widths": [2], "batch_size": 256, "steps": 40},
        "lagrangian": {"widths": [2], "batch_size": 256, "steps": 1500},
    },
    "experiments": {
        "tiny": {
            "title": "Tiny",
            "dataset": "pdgmm",
            "methods": ["fastica", "autoencoder+lagrangian"],
            "seeds": [0],
            "published_table": "pdgmm/3",
        }
    },
}


class Project:
    """A copy of the project with a config of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config_file = folder / "study.yaml"

    @property
    def config(self):
        return yaml.safe_load(self.config_file.read_text())

    @config.setter
    def config(self, value):
        self.config_file.write_text(yaml.safe_dump(value))

    def command(self, *arguments, cores=2):
        snakemake = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
        return [*snakemake, *arguments, "--configfile", "study.yaml"]

    def environment(self, **extra):
        # The copy's own package must run, not the installed one.
        return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | extra

    def run(self, *arguments, cores=2, check=True, **environment):
        done = subprocess.run(
            self.command(*arguments, cores=cores),
            cwd=self.folder,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            check=False,
        )
        output = done.stdout + done.stderr
        assert not check or done.returncode == 0, output
        return done.returncode, output

    def planned(self, *arguments):
        """How often each rule would run now."""
        _, output = self.run("-n", *arguments)
        if "Nothing to be done" in output:
            return Counter()
        stats = output.split("Job stats:")[1].split("total")[0]
        return Counter(
            {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", stats, re.M) if rule != "all"}
        )

    def files(self, pattern):
        """Content by path of the files that match, to be compared."""
        return {path.relative_to(self.folder): path.read_bytes() for path in self.folder.glob(pattern)}

    def copy(self, folder: Path) -> "Project":
        # With time stamps: Snakemake compares them.
        subprocess.run(["cp", "-a", str(self.folder), str(folder)], check=True)
        return Project(folder)


def new_project(folder: Path, config) -> Project:
    folder.mkdir()
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / part)
    project = Project(folder)
    project.config = config
    return project


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory):
    """The tiny study, run once with one core for all workers of the session: for reading and copying only."""
    # Workers have folders of their own inside that of the session.
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    folder = tmp_path_factory.getbasetemp() if alone else tmp_path_factory.getbasetemp().parent
    with FileLock(folder / "finished_once.lock"):
        done = folder / "finished_once"
        if not done.exists():
            project = new_project(folder / "unfinished", TINY)
            project.run(cores=1)
            project.folder.rename(done)
    return Project(done)


@pytest.fixture
def finished(finished_once, tmp_path):
    """A copy of the finished tiny study."""
    return finished_once.copy(tmp_path / "project")


@pytest.fixture
def fresh(tmp_path):
    """The tiny study, not yet run."""
    return new_project(tmp_path / "project", TINY)
