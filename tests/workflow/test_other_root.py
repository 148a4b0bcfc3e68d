"""Datasets and results somewhere else than beside the workflow."""

import pytest

pytestmark = pytest.mark.slow


def test_everything_under_another_directory(fresh, tmp_path):
    config = fresh.config
    config["experiments"]["tiny"]["methods"] = ["fastica"]
    fresh.config = config
    elsewhere = tmp_path / "scratch"
    fresh.run("--directory", str(elsewhere))
    assert (elsewhere / "results" / "tables" / "tiny.csv").exists()
    assert list((elsewhere / "datasets").glob("*/seed-0.h5"))
    assert not (fresh.folder / "results").exists()
    assert not (fresh.folder / "datasets").exists()
    assert not fresh.planned("--directory", str(elsewhere)), "a second run does nothing"
