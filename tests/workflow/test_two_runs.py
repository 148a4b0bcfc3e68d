"""Two runs of Snakemake in one folder at the same time."""

import contextlib
import os
import signal
import subprocess
import time

import psutil
import pytest

pytestmark = pytest.mark.chaos


OWN_NOTES = (".snakemake/log/", ".snakemake/pdgmm_code/")
"""Where a refused run may write: what it said, and what code it saw."""


def everything(project):
    """Content by path of all files but those that say what a run did; the byte code of imported modules is none."""
    found = {}
    for path in project.folder.rglob("*"):
        name = str(path.relative_to(project.folder))
        if path.is_file() and not name.startswith(OWN_NOTES) and "__pycache__" not in name:
            found[name] = path.read_bytes()
    return found


def group(leader):
    """The processes of a run."""
    run = psutil.Process(leader)
    return [run, *run.children(recursive=True)]


def wait_until_all_stand_still(leader):
    # Who waits for a child to begin its program cannot be stopped. As long as the child is stopped, it looks like one
    # that waits for a disk.
    still = {psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE, psutil.STATUS_DISK_SLEEP}
    limit, seen_still = time.monotonic() + 60, 0
    while seen_still < 20:
        assert time.monotonic() < limit, "the first run does not stand still"
        seen_still = seen_still + 1 if all(one.status() in still for one in group(leader)) else 0
        time.sleep(0.05)


def test_the_second_run_says_so_and_changes_nothing(fresh):
    config = fresh.config
    config["experiments"]["tiny"] |= {"methods": ["identity"], "heatmaps": False}
    fresh.config = config
    first = subprocess.Popen(
        fresh.command(),
        cwd=fresh.folder,
        env=fresh.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while first.poll() is None and not list(fresh.folder.glob(".snakemake/locks/*.lock")):
            time.sleep(0.05)
        assert first.poll() is None, "the first run ended too early to be disturbed"
        # The first run and its steps stand still, so that whatever changes was changed by the second.
        os.killpg(first.pid, signal.SIGSTOP)
        wait_until_all_stand_still(first.pid)
        before = everything(fresh)
        code, output = fresh.run(check=False)
        after = everything(fresh)
        os.killpg(first.pid, signal.SIGCONT)
        assert first.poll() is None, "the first run ended before the second was refused"
        assert code == 1
        assert "Directory cannot be locked" in output or "LockException" in output, output
        assert any(name.startswith(".snakemake/locks/") for name in before)
        assert after == before, "the second run changed something"
        assert first.wait() == 0, "the first run was disturbed"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    assert not fresh.planned()
