"""A clock that jumps: files from the future and from long ago."""

import os
import time

import pytest

pytestmark = pytest.mark.chaos

DAY = 86_400


def outcomes(project):
    return project.files("results/*/seed-0/*/scores.json") | project.files("results/tables/*")


@pytest.mark.parametrize(("datasets", "results"), [(DAY, 0), (0, -400 * DAY), (DAY, -400 * DAY)])
def test_times_of_files_change_nothing(finished, datasets, results, tally):
    before, now = outcomes(finished), time.time()
    for folder, shift in (("datasets", datasets), ("results", results)):
        for path in (finished.folder / folder).rglob("*"):
            if path.is_file():
                os.utime(path, (now + shift, now + shift))
    _, output = finished.run()
    tally.add(outcomes(finished) == before)
    assert "Nothing to be done" in output
    assert tally.lost == 0


def test_an_input_from_the_future_stops_the_job_and_loses_nothing(finished, tally):
    """Snakemake refuses an output older than its input and names the clock; a touch is the repair."""
    before = outcomes(finished)
    (latents,) = finished.folder.glob("results/*/seed-0/fastica/latents.h5")
    latents.with_name("scores.json").unlink()
    os.utime(latents, (time.time() + DAY, time.time() + DAY))
    code, output = finished.run(check=False)
    assert code != 0
    assert "clock skew" in output
    assert str(latents.relative_to(finished.folder)) in output
    latents.touch()
    finished.run()
    tally.add(outcomes(finished) == before)
    assert tally.lost == 0
    assert finished.planned() == {}
