"""pyproject.toml is the one source of versions; the other files must say the same, and name files that exist."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
LOCK = (ROOT / "requirements.lock").read_text()
PINS = dict(line.split("==") for line in LOCK.splitlines() if "==" in line)
PYTHON = re.search(r"\(Python (\d+\.\d+),", LOCK)[1]
"""The Python that the lock is made for."""

SHIPPED = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
CONDA_NAMES = {"pytorch": "torch"}
"""Packages that conda calls by another name."""


def test_environment_yml_equals_pyproject():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    from_pip = next(entry["pip"] for entry in listed if isinstance(entry, dict))
    requirements = [Requirement(entry) for entry in [e for e in listed if isinstance(e, str)] + from_pip]
    ranges = {CONDA_NAMES.get(r.name, r.name): r.specifier for r in requirements}
    assert str(ranges.pop("python")) == PROJECT["requires-python"]
    ranges.pop("pip")
    assert ranges == {r.name: r.specifier for r in map(Requirement, PROJECT["dependencies"])}


def test_every_pin_is_exact_and_within_the_range_for_users():
    pins = {name.lower().replace("_", "-"): version for name, version in PINS.items()}
    assert len(pins) == len([line for line in LOCK.splitlines() if line and not line.startswith("#")])
    optional = [r for group in PROJECT["optional-dependencies"].values() for r in group]
    for requirement in map(Requirement, PROJECT["dependencies"] + optional):
        assert requirement.specifier.contains(pins[requirement.name.lower()]), requirement


def test_the_pins_are_what_is_installed():
    frozen = subprocess.run(
        [sys.executable, "-m", "pip", "freeze"], capture_output=True, text=True, check=True
    )
    installed = {re.sub(r"\+\w+$", "", line) for line in frozen.stdout.splitlines() if "==" in line}
    assert {f"{name}=={version}" for name, version in PINS.items()} <= installed


def test_generated_documents_are_up_to_date():
    from pdgmm.study.config_reference import config_reference, config_schema

    assert (ROOT / "config" / "README.md").read_text() == config_reference()
    assert (ROOT / "workflow" / "schemas" / "config.schema.json").read_text() == config_schema() + "\n"


def test_commits_are_checked_with_the_versions_of_the_lock():
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    hooks = {hook["id"]: one["rev"] for one in repositories for hook in one["hooks"]}
    assert hooks == {
        "ruff-check": f"v{PINS['ruff']}",
        "ruff-format": f"v{PINS['ruff']}",
        "snakefmt": f"v{PINS['snakefmt']}",
    }


def container_files():
    """Of each container definition: its text, its base image, and the files of the repository that it copies."""
    docker = (ROOT / "containers" / "Dockerfile").read_text()
    copied = [word for line in re.findall(r"^COPY (.+)$", docker, re.M) for word in line.split()[:-1]]
    yield docker, re.search(r"^FROM (\S+)$", docker, re.M)[1], copied
    apptainer = (ROOT / "containers" / "pdgmm.def").read_text()
    block = apptainer.partition("%files\n")[2].partition("\n\n")[0]
    yield (
        apptainer,
        re.search(r"^From: (\S+)$", apptainer, re.M)[1],
        [line.split()[0] for line in block.splitlines()],
    )


def test_containers_install_the_package_at_the_versions_of_the_lock():
    for text, image, copied in container_files():
        assert image == f"python:{PYTHON}-slim"
        (command,) = re.findall(r"pip install .+$", text, re.M)
        extras = re.search(r"--constraint requirements\.lock '\.\[(\w+)\]'$", command)
        assert extras[1] in PROJECT["optional-dependencies"]
        needed = {"pyproject.toml", "requirements.lock", PROJECT["readme"], *PROJECT["license-files"], "src"}
        assert set(copied) == needed | SHIPPED.keys()
        assert all((ROOT / path).exists() for path in copied)


def test_docker_is_sent_what_it_copies_and_no_results():
    _, _, copied = next(container_files())
    lines = (ROOT / ".dockerignore").read_text().split()
    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == set(copied)


def test_continuous_integration_runs_commands_that_the_readme_names():
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]["make"]
    targets = set(job["strategy"]["matrix"]["target"])
    assert {"lint", "test", "dry-run", "run"} <= targets
    assert targets <= set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.M))
    readme = (ROOT / "README.md").read_text()
    assert {target for target in targets if f"make {target}" not in readme} == set()
    (python,) = [step["with"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
    assert python["python-version"] == PYTHON


def test_the_citation_has_what_the_format_asks_for_and_our_version():
    import pdgmm

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["version"] == pdgmm.__version__
    assert citation["license"] == PROJECT["license"]
    (paper,) = citation["references"]
    cited = yaml.safe_load((ROOT / "src/pdgmm/report/papers/pdgmm/paper.yaml").read_text())["citation"]
    assert paper["title"] in cited
    assert all(author["family-names"] in cited for author in paper["authors"])


def test_the_workflow_catalogue_finds_what_it_asks_for():
    # https://snakemake.github.io/snakemake-workflow-catalog, "standardized usage".
    assert (ROOT / "workflow" / "Snakefile").is_file()
    assert (ROOT / "config" / "README.md").is_file()
    assert list((ROOT / "workflow" / "rules").glob("*.smk"))
    readme = (ROOT / "README.md").read_text().lower()
    assert "snakemake" in readme
    assert "workflow" in readme
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["mandatory-flags"].keys() == {"desc", "flags"}
    assert usage["software-stack-deployment"] == {
        "conda": True,
        "apptainer": False,
        "apptainer+conda": False,
    }
    assert usage["report"] is True
    rules = "".join(file.read_text() for file in (ROOT / "workflow" / "rules").glob("*.smk"))
    assert rules.count("shell:") == rules.count('conda:\n        "../../environment.yml"')


def test_everything_that_a_new_study_needs_is_in_the_wheel():
    folder = "pdgmm/workflow_support/shipped/"
    assert {name: folder + name for name in ("workflow", "config", "profiles", "environment.yml")} == SHIPPED
