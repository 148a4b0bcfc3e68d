"""A datasets folder that cannot be written."""

import subprocess

import pytest

pytestmark = pytest.mark.chaos


@pytest.fixture
def read_only(fresh):
    """The ``datasets`` folder of a new study, read-only, and a function that makes it writable."""
    folder = fresh.folder / "datasets"
    folder.mkdir()
    # Root may write whatever the rights say, but not to a read-only file system.
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False).returncode:
        pytest.skip("mounting a read-only folder needs root")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        yield lambda: subprocess.run(["mount", "-o", "remount,rw,bind", folder], check=True)
    finally:
        subprocess.run(["umount", folder], check=True)


def test_it_is_named_and_the_run_goes_on_when_it_is_writable(fresh, read_only, finished_once, tally):
    code, output = fresh.run(check=False)
    assert code != 0
    assert "datasets" in output
    assert "ead-only file system" in output, output
    assert "Traceback" not in output, output
    assert fresh.files("datasets/**/*") == fresh.files("results/*/seed-0/**/*") == {}
    read_only()
    fresh.run("--until", "generate_dataset")
    tally.add(fresh.files("datasets/*/seed-0.h5") == finished_once.files("datasets/*/seed-0.h5"))
    assert tally.lost == 0
