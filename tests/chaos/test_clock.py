"""A clock that jumps: files from the future and from long ago."""

import os
import time

import pytest

pytestmark = pytest.mark.slow

DAY = 86_400
JUMPS = {
    "inputs from the future": (DAY, 0),
    "results from long ago": (0, -400 * DAY),
    "both": (DAY, -400 * DAY),
}


@pytest.mark.parametrize("jump", JUMPS)
def test_times_of_files_change_nothing(finished, jump, record_property):
    before = finished.files("results/*/seed-0/*/scores.json") | finished.files("results/tables/*")
    now = time.time()
    for folder, shift in zip(("datasets", "results"), JUMPS[jump], strict=True):
        for path in (finished.folder / folder).rglob("*"):
            if path.is_file():
                os.utime(path, (now + shift, now + shift))
    _, output = finished.run()
    after = finished.files("results/*/seed-0/*/scores.json") | finished.files("results/tables/*")
    record_property("data_lost", sum(after.get(path) != content for path, content in before.items()))
    assert "Nothing to be done" in output
    assert after == before


def test_an_input_from_the_future_stops_the_job_and_loses_nothing(finished, record_property):
    """Snakemake refuses an output older than its input and names the clock; a touch is the repair."""
    (scores,) = finished.folder.glob("results/*/seed-0/identity+fastica/scores.json")
    content = scores.read_bytes()
    scores.unlink()
    (latents,) = finished.folder.glob("results/*/seed-0/identity+fastica/latents.h5")
    os.utime(latents, (time.time() + DAY, time.time() + DAY))
    code, output = finished.run(check=False)
    assert code != 0
    assert "clock skew" in output
    assert str(latents.relative_to(finished.folder)) in output
    latents.touch()
    finished.run()
    record_property("data_lost", int(scores.read_bytes() != content))
    assert scores.read_bytes() == content
    assert finished.planned() == {}
