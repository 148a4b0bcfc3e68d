"""The timers that keep Snakemake's scheduler busy."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from snakemake.scheduling import job_scheduler
from snakemake.scheduling.job_scheduler import JobRateLimiter, JobScheduler
from snakemake.settings.types import MaxJobsPerTimespan

from pdgmm.idle_scheduler import TIMER, set_timers_only_at_the_limit

WORKFLOW = """
from pdgmm.idle_scheduler import set_timers_only_at_the_limit

onstart:
    if config["changed"]:
        assert set_timers_only_at_the_limit(workflow.scheduler)

rule all:
    input: [f"{number}.threads" for number in range(20)]

rule count_threads_of_snakemake:
    output: "{number}.threads"
    shell: "ls /proc/$PPID/task | wc -l > {output}"
"""


def most_threads(folder, changed):
    folder.mkdir()
    (folder / "Snakefile").write_text(WORKFLOW)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--config", f"changed={changed}"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    assert "falling back" not in done.stderr, "the solver that chooses jobs must go on working"
    return max(int(file.read_text()) for file in folder.glob("*.threads"))


@pytest.fixture
def set_timers():
    """The delays of the timers that a changed scheduler has set, and the scheduler: two jobs an hour."""
    delays = []
    limiter = JobRateLimiter(MaxJobsPerTimespan(2, "1h"))
    scheduler = SimpleNamespace(job_rate_limiter=limiter, **{TIMER: delays.append})
    assert set_timers_only_at_the_limit(scheduler)
    return delays, scheduler


def test_below_the_limit_no_timer_is_set(set_timers):
    delays, scheduler = set_timers
    scheduler.job_rate_limiter.register_jobs(1)
    getattr(scheduler, TIMER)(3600)
    assert delays == []


def test_at_the_limit_a_timer_is_set(set_timers):
    delays, scheduler = set_timers
    scheduler.job_rate_limiter.register_jobs(2)
    getattr(scheduler, TIMER)(3600)
    assert delays == [3600]


def test_at_the_limit_a_timer_is_set_also_where_starting_the_jobs_took_longer(monkeypatch, set_timers):
    delays, scheduler = set_timers
    scheduler.job_rate_limiter.register_jobs(2)
    later = job_scheduler.time.time() + 4000
    monkeypatch.setattr(job_scheduler.time, "time", lambda: later)
    getattr(scheduler, TIMER)(3600)
    assert delays == [3600]


def test_timers_for_something_else_are_set(set_timers):
    delays, scheduler = set_timers
    getattr(scheduler, TIMER)(10)
    assert delays == [10]


def test_a_scheduler_without_a_limit_stays_as_it_is():
    assert not set_timers_only_at_the_limit(SimpleNamespace(job_rate_limiter=None))


def test_snakemake_has_the_method():
    assert callable(getattr(JobScheduler, TIMER))


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
def test_finished_jobs_leave_no_timers(tmp_path):
    assert most_threads(tmp_path / "new", changed=True) + 5 < most_threads(tmp_path / "old", changed=False)
