"""Datasets and results somewhere else than beside the workflow."""

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def project(fresh):
    """The tiny study with its quicker method alone."""
    config = fresh.config
    config["experiments"]["tiny"]["methods"] = ["fastica"]
    fresh.config = config
    return fresh


def test_everything_under_another_directory(project, tmp_path):
    elsewhere = tmp_path / "scratch"
    project.run("--directory", str(elsewhere))
    assert (elsewhere / "results" / "tables" / "tiny.csv").exists()
    assert list((elsewhere / "datasets").glob("*/seed-0.h5"))
    assert not (project.folder / "results").exists()
    assert not (project.folder / "datasets").exists()
    assert not project.planned("--directory", str(elsewhere)), "a second run does nothing"


def test_datasets_and_results_on_another_disk(project, tmp_path):
    disk = tmp_path / "disk"
    for name in ("datasets", "results"):
        (disk / name).mkdir(parents=True)
        (project.folder / name).symlink_to(disk / name)
    project.run()
    assert (disk / "results" / "tables" / "tiny.csv").exists()
    assert list((disk / "datasets").glob("*/seed-0.h5"))
    assert (project.folder / "results").is_symlink()
    assert (project.folder / "datasets").is_symlink()
    assert not project.planned(), "a second run does nothing"
