"""The limit of jobs per second that keeps Snakemake's scheduler busy."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from snakemake.cli import get_argument_parser
from snakemake.scheduling.job_scheduler import JobRateLimiter

from pdgmm.job_rate import drop_default_job_rate

WORKFLOW = """
from pdgmm.job_rate import drop_default_job_rate

onstart:
    if config["drop"]:
        drop_default_job_rate(workflow.scheduler)

rule all:
    input: [f"{number}.threads" for number in range(20)]

rule count_threads_of_snakemake:
    output: "{number}.threads"
    shell: "ls /proc/$PPID/task | wc -l > {output}"
"""


def scheduler(*options):
    limit = get_argument_parser().parse_args(options).max_jobs_per_timespan
    return SimpleNamespace(job_rate_limiter=JobRateLimiter(limit))


def most_threads(folder, drop):
    folder.mkdir()
    (folder / "Snakefile").write_text(WORKFLOW)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--config", f"drop={drop}"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return max(int(file.read_text()) for file in folder.glob("*.threads"))


def test_snakemakes_own_limit_is_dropped():
    snakemakes = scheduler()
    assert drop_default_job_rate(snakemakes)
    assert snakemakes.job_rate_limiter is None
    assert not drop_default_job_rate(snakemakes)


def test_a_limit_that_the_user_chose_stays():
    snakemakes = scheduler("--max-jobs-per-timespan", "5/1m")
    assert not drop_default_job_rate(snakemakes)
    assert snakemakes.job_rate_limiter.max_jobs == 5


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
def test_without_the_limit_finished_jobs_leave_no_timers(tmp_path):
    assert most_threads(tmp_path / "dropped", drop=True) + 5 < most_threads(tmp_path / "kept", drop=False)
