"""The files of a new study."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from pdgmm.cli.main import cli
from pdgmm.errors import UserError
from pdgmm.study.config import read_config
from pdgmm.study.planning import plan_study
from pdgmm.workflow_support import project_files
from pdgmm.workflow_support.new_study import write_new_study

ROOT = Path(__file__).parents[3]


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_study_has_a_valid_config_and_the_profiles_of_the_workflow(tmp_path):
    written = write_new_study(tmp_path / "deep" / "study")
    assert all(path.is_file() for path in written)
    config = read_config([tmp_path / "deep" / "study" / "config" / "config.yaml"])
    assert list(plan_study(config).experiments) == ["first"]
    assert content(tmp_path / "deep" / "study" / "profiles") == content(ROOT / "profiles")


def test_the_example_of_own_data_in_the_config_is_valid_too(tmp_path):
    write_new_study(tmp_path)
    file = tmp_path / "config" / "config.yaml"
    before, mark, own = file.read_text().partition("#  own:")
    file.write_text(before + (mark + own).replace("\n#", "\n").removeprefix("#"))
    assert list(plan_study(read_config([file])).experiments) == ["first", "own"]


def test_a_folder_with_files_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match=r"already has files \(notes.txt\) and nothing was written"):
        write_new_study(tmp_path)
    assert content(tmp_path) == {Path("notes.txt"): b"mine"}


def test_a_second_call_changes_nothing(tmp_path):
    write_new_study(tmp_path)
    (tmp_path / "config" / "config.yaml").write_text("edited")
    before = content(tmp_path)
    with pytest.raises(UserError, match="already has files"):
        write_new_study(tmp_path)
    assert content(tmp_path) == before


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="cannot write a new study to .*file"):
        write_new_study(tmp_path / "file")


def test_the_command_says_what_to_type_next(tmp_path):
    folder = tmp_path / "my study"
    said = CliRunner().invoke(cli, ["new", str(folder)], catch_exceptions=False).output
    assert str(folder / "Snakefile") in said
    assert f"cd {shlex.quote(str(folder))}\n" in said
    assert "snakemake --cores 2 " in said


def test_the_workflow_is_that_of_the_repository_unless_the_package_ships_one(tmp_path, monkeypatch):
    assert project_files.snakefile() == str(ROOT / "workflow" / "Snakefile")
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow" / "Snakefile").touch()
    monkeypatch.setattr(project_files, "SHIPPED", tmp_path)
    assert project_files.snakefile() == str(tmp_path / "workflow" / "Snakefile")


def test_a_package_without_a_workflow_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(project_files, "SHIPPED", tmp_path)
    monkeypatch.setattr(project_files, "REPOSITORY", tmp_path)
    with pytest.raises(UserError, match="Install pdgmm again"):
        project_files.project_folder()
