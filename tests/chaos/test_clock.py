"""A clock that jumps: files from the future and from long ago."""

import os
import shutil
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


def test_a_fit_made_by_a_clock_in_the_past_is_used(finished):
    (scores,) = finished.folder.glob("results/*/seed-0/identity+fastica/scores.json")
    content = scores.read_bytes()
    scores.unlink()
    # The table too, so that what it is made of is wanted.
    shutil.rmtree(finished.folder / "results/tables")
    for latents in finished.folder.glob("results/*/seed-0/*/latents.h5"):
        os.utime(latents, (time.time() + DAY, time.time() + DAY))
    finished.run()
    assert scores.read_bytes() == content
    assert finished.planned() == {}
