"""A datasets folder that cannot be written."""

import os
import subprocess

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def read_only(fresh):
    """The ``datasets`` folder of a new study, read-only for root too, and a function that makes it writable."""
    folder = fresh.folder / "datasets"
    folder.mkdir()
    if os.geteuid() != 0:
        folder.chmod(0o555)
        yield lambda: folder.chmod(0o755)
        folder.chmod(0o755)
        return
    # Root may write whatever the rights say, but not to a read-only file system.
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False).returncode:
        pytest.skip("root may write anywhere here, and may not mount a read-only folder")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        yield lambda: subprocess.run(["mount", "-o", "remount,rw,bind", folder], check=True)
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_read_only_folder_is_named_and_the_run_goes_on_when_it_is_writable(
    fresh, read_only, finished_once, tally
):
    code, output = fresh.run(check=False)
    assert code != 0
    assert "datasets" in output
    assert "ead-only file system" in output or "ermission denied" in output, output
    assert "Traceback" not in output, output
    assert list((fresh.folder / "datasets").rglob("*")) == []
    assert fresh.files("results/*/seed-0/**/*") == {}
    read_only()
    fresh.run("--until", "generate_dataset")
    expected = finished_once.files("datasets/*/seed-0.h5")
    written = fresh.files("datasets/*/seed-0.h5")
    assert written.keys() == expected.keys()
    for path, content in expected.items():
        tally.add(written[path] == content)
    assert tally.lost == 0
