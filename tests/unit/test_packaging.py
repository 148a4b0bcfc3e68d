"""pyproject.toml is the one source of versions; the other files must say the same."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
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
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    pins = {name.lower().replace("_", "-"): version for name, version in pins.items()}
    optional = [r for group in PROJECT["optional-dependencies"].values() for r in group]
    for requirement in map(Requirement, PROJECT["dependencies"] + optional):
        assert requirement.specifier.contains(pins[requirement.name.lower()]), requirement


def test_the_pins_are_what_is_installed():
    frozen = subprocess.run(
        [sys.executable, "-m", "pip", "freeze"], capture_output=True, text=True, check=True
    )
    installed = {re.sub(r"\+\w+$", "", line) for line in frozen.stdout.splitlines() if "==" in line}
    pins = {line for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line}
    assert pins <= installed


def test_generated_documents_are_up_to_date():
    from pdgmm.study.config_reference import config_reference, config_schema

    assert (ROOT / "config" / "README.md").read_text() == config_reference()
    assert (ROOT / "workflow" / "schemas" / "config.schema.json").read_text() == config_schema() + "\n"
