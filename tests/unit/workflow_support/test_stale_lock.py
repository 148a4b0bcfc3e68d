"""The lock a killed run leaves behind."""

import fcntl

import pytest

from pdgmm.workflow_support import stale_lock


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ".snakemake" / "locks").mkdir(parents=True)
    return tmp_path


@pytest.fixture(autouse=True)
def release():
    yield
    while stale_lock._held:
        stale_lock.os.close(stale_lock._held.pop())


def left_behind(folder, host):
    (folder / ".snakemake" / "pdgmm.lock").write_text(host)
    lock = folder / ".snakemake" / "locks" / "0.input.lock"
    lock.write_text("some file")
    return lock


def test_the_lock_of_a_dead_run_on_this_host_is_removed(folder):
    lock = left_behind(folder, stale_lock.socket.gethostname())
    assert stale_lock.remove_stale_lock(folder)
    assert not lock.exists()


def test_a_live_run_keeps_its_lock(folder):
    lock = left_behind(folder, stale_lock.socket.gethostname())
    with (folder / ".snakemake" / "pdgmm.lock").open("r+") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert not stale_lock.remove_stale_lock(folder)
    assert lock.exists()


def test_a_run_that_began_beside_a_plan_holds_the_lock_when_the_plan_has_ended(folder):
    lock = left_behind(folder, stale_lock.socket.gethostname())
    with (folder / ".snakemake" / "pdgmm.lock").open("r+") as plan:
        fcntl.flock(plan, fcntl.LOCK_EX)
        assert not stale_lock.remove_stale_lock(folder)
        waiting = stale_lock.keep_lock(folder)
        assert not stale_lock._held
    waiting.join(timeout=30)
    assert len(stale_lock._held) == 1
    with (
        (folder / ".snakemake" / "pdgmm.lock").open("r+") as later,
        pytest.raises(OSError, match="unavailable"),
    ):
        fcntl.flock(later, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert stale_lock.keep_lock(folder) is None, "it is held already"
    assert lock.exists()


def test_the_lock_of_another_host_is_kept_however_often_we_try(folder):
    lock = left_behind(folder, "another-host")
    assert not stale_lock.remove_stale_lock(folder)
    release_again = stale_lock._held.pop()
    stale_lock.os.close(release_again)
    assert not stale_lock.remove_stale_lock(folder)
    assert lock.exists()
