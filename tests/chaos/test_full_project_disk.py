"""A disk that is full for everything: data, results, logs and Snakemake's own records."""

import pytest
from workflow_project import TINY, new_project

pytestmark = pytest.mark.slow

ROOMS = (0, 60_000, 250_000)
"""Bytes left: not enough for Snakemake's own records, for the dataset, for what comes after it."""


def test_a_full_disk_is_named_and_the_study_goes_on_when_there_is_room(project_disk, finished_once, tally):
    project = new_project(project_disk.folder / "project", TINY)
    expected = finished_once.files("results/*/seed-0/*/scores.json") | finished_once.files("datasets/*/*.h5")
    for room in ROOMS:
        project_disk.leave(room)
        code, output = project.run(check=False)
        assert code != 0, f"{room} bytes were enough"
        assert "no space left" in output.lower(), output
        for path, content in expected.items():
            if (project.folder / path).exists():
                tally.add((project.folder / path).read_bytes() == content)
    project_disk.make_room()
    project.run()
    for path, content in expected.items():
        tally.add((project.folder / path).read_bytes() == content)
    assert tally.lost == 0
    assert not project.planned()
