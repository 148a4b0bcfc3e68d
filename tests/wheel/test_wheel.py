"""The wheel in an environment of its own and an empty folder: nothing may need the repository.

Dependencies are those of the running environment, which need not be downloaded again; its pdgmm is not seen.
"""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import numpy as np
import pytest
import yaml

pytestmark = pytest.mark.install

ROOT = Path(__file__).parents[2]

OUTER = (ROOT / "tests" / "workflow" / "outer.smk").read_text()

SMALL = {"n": 4, "m": 3, "samples": {"train": 3000, "test": 300, "unmasked": 300, "independent": 300}}


class Installation:
    """A virtual environment with the wheel."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.packages = (
            folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
        )

    def run(self, cwd: Path, *command: str, check: bool = True, **environment: str) -> str:
        """What a command of the environment says, run in ``cwd``."""
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [str(self.bin / "python"), "-m", *command],
            cwd=cwd,
            env=clean | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT], check=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    installation = Installation(folder / "venv")
    # The path files of that folder are not read: an editable pdgmm in it stays unseen.
    (installation.packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    python = ["--python", str(installation.bin / "python")]
    subprocess.run([*pip, *python, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    return installation


@pytest.fixture
def study(installed, tmp_path):
    """A study that `pdgmm new` wrote, made tiny."""
    said = installed.run(tmp_path, "pdgmm", "new", "my-study/")
    assert "my-study/Snakefile" in said
    folder = tmp_path / "my-study"
    config = yaml.safe_load((folder / "config" / "config.yaml").read_text())
    config["datasets"]["small"] |= SMALL
    config["methods"]["flow"] = {"steps": 3}
    config["experiments"]["first"] |= {"seeds": [0], "vary": {}}
    (folder / "config" / "config.yaml").write_text(yaml.safe_dump(config))
    return folder


def test_it_is_the_installed_package(installed, tmp_path):
    (tmp_path / "where.py").write_text("import pdgmm; print(pdgmm.__file__, pdgmm.snakefile())")
    for path in installed.run(tmp_path, "where").split():
        assert Path(path).is_relative_to(installed.packages)


def test_own_data_are_fitted(installed, tmp_path):
    random = np.random.default_rng(0)
    latents = random.normal(size=(600, 3)) * (random.random((600, 3)) < 0.6)
    np.savetxt(
        tmp_path / "data.csv",
        latents @ random.normal(size=(3, 4)),
        delimiter=",",
        header="a,b,c,d",
        comments="",
    )
    installed.run(tmp_path, "pdgmm", "fit", "data.csv", "--out", "fitted", "--quick", "--n-latents", "3")
    assert "<html" in (tmp_path / "fitted" / "report.html").read_text()
    assert len((tmp_path / "fitted" / "latents.csv").read_text().splitlines()) == 601


def test_a_new_study_runs_and_is_reported(installed, study):
    installed.run(study, "snakemake", "--cores", "2")
    assert "flow+spike_slab" in (study / "results" / "tables" / "first.md").read_text()
    assert "Nothing to be done" in installed.run(study, "snakemake", "--cores", "2", "-n")
    installed.run(study, "snakemake", "--report", "results/report.html")
    assert "recovering hidden variables" in (study / "results" / "report.html").read_text()
    # What jobs on a cluster inherit: the link by which the rules import the package.
    link = study / ".snakemake" / "pdgmm_package"
    said = installed.run(study, "snakemake", "--cores", "2", "-n", PYTHONPATH=str(link))
    assert "Nothing to be done" in said
    assert (link / "pdgmm").resolve() == installed.packages / "pdgmm"


def test_a_second_new_study_in_the_same_folder_is_one_error(installed, study):
    said = installed.run(study.parent, "pdgmm", "new", "my-study/", check=False)
    assert said.startswith("error: my-study already has files (Snakefile, config, profiles)")
    assert len(said.splitlines()) == 1


def test_another_workflow_runs_it_as_a_module(installed, tmp_path):
    experiment = {"dataset": {"generator": "pdgmm"} | SMALL, "methods": ["fastica"], "seeds": [0]}
    written_out = OUTER.replace('config["hidden"]', repr({"experiments": {"tiny": experiment}}))
    (tmp_path / "Snakefile").write_text(written_out.replace('configfile: "config.yaml"\n', ""))
    installed.run(tmp_path, "snakemake", "--cores", "2")
    assert (tmp_path / "count.txt").read_text().endswith("hidden/results/tables/tiny.csv\n")
    assert {path.name for path in tmp_path.iterdir()} == {"Snakefile", "count.txt", "hidden", ".snakemake"}
