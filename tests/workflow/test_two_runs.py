"""Two runs of Snakemake in one folder at the same time."""

import subprocess
import time

import pytest

pytestmark = pytest.mark.slow


def test_the_second_run_says_so_and_changes_nothing(fresh):
    first = subprocess.Popen(
        fresh.command(),
        cwd=fresh.folder,
        env=fresh.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while first.poll() is None and not list(fresh.folder.glob(".snakemake/locks/*.lock")):
            time.sleep(0.05)
        assert first.poll() is None, "the first run ended too early to be disturbed"
        locks = fresh.files(".snakemake/locks/*")
        code, output = fresh.run(check=False)
        assert first.poll() is None, "the first run ended before the second was refused"
        assert code == 1
        assert "Directory cannot be locked" in output or "LockException" in output, output
        assert fresh.files(".snakemake/locks/*") == locks, "the second run took the first one's lock away"
        assert first.wait() == 0, "the first run was disturbed"
    finally:
        first.kill()
        first.wait()
    assert not fresh.planned()
