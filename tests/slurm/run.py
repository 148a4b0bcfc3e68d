"""The tiny study on a real Slurm, through the profile that users run: ``python tests/slurm/run.py``.

One job is cancelled while it trains, the next call finishes the study. At the end the scores equal those of a run
without Slurm, small jobs shared submissions, and only trainings asked for GPUs. Nothing is left running.
"""

import copy
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))

from cluster import Cluster
from conftest import TINY, Project, new_project
from install import reason_to_skip

MOST_SECONDS = 300
PROFILE = (
    "--profile",
    "profiles/slurm",
    "--configfile",
    "study.yaml",
    "--slurm-init-seconds-before-status-checks",
    "2",
)
"""The user's call, but with an impatient look at the jobs: they take seconds here, not hours."""

TRAININGS = ("rule_train_stage1", "rule_train_stage2")


@dataclass(frozen=True)
class Submission:
    """A job as Slurm remembers it."""

    number: int
    comment: str
    state: str
    gpus: str


def main() -> int:
    """Run the test; 0 if all holds or Slurm cannot be had here."""
    if reason := reason_to_skip():
        print(f"SKIPPED test-slurm: {reason}.")
        return 0
    # Every way out, a signal and the time limit too, goes through the `finally` and `with` below.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, _stop)
    signal.alarm(MOST_SECONDS)
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="pdgmm-slurm-"))
    folder.chmod(0o755)
    kept = True
    try:
        (folder / "cluster").mkdir()
        with Cluster(folder / "cluster") as cluster:
            check_study(cluster, folder)
        left = cluster.left_over()
        assert not left, f"still running: {left}"
        kept = False
    finally:
        signal.alarm(0)
        if kept:
            print(f"FAILED; logs are in {folder}")
        else:
            shutil.rmtree(folder)
    print(f"test-slurm: all holds, {time.monotonic() - started:.0f} s, nothing left running")
    return 0


def check_study(cluster: Cluster, folder: Path) -> None:
    """All that is promised, in the order in which a user meets it."""
    config = copy.deepcopy(TINY)
    config["experiments"]["tiny"]["seeds"] = [0, 1]
    config["gpus_per_training"] = 1
    project = new_project(folder / "slurm", config)
    reference = new_project(folder / "local", config)

    say("first call, one training is cancelled halfway")
    code = call_and_cancel(cluster, project, "results/logs/train_stage1/*/seed-0/autoencoder.log")
    assert code == 1, f"a cancelled job must fail the call, its exit code is {code}"
    first = submissions(cluster)
    assert [job.comment for job in first if job.state == "CANCELLED"] == [
        f"rule_train_stage1_wildcards_{dataset_of(project)}_0_autoencoder"
    ], f"dataset and method name the cancelled job: {first}"
    assert not project.files("results/**/autoencoder*/scores.json"), "scores wait for their whole group"
    finished = len(project.files("results/*/seed-*/*+*/latents.h5"))
    assert finished == 3, f"the other three runs go on to the end, {finished} did"

    say("second call, without GPUs, finishes the study")
    code = call(cluster, project, "--config", "gpus_per_training=0").wait()
    assert code == 0, f"the second call ended with {code}"
    both = submissions(cluster)
    second = both[len(first) :]
    check_shares(first, second)
    check_gpus(first, second)
    assert call(cluster, project, "-n").wait() == 0
    assert len(submissions(cluster)) == len(both), "nothing is left to do"

    say("the same study without Slurm")
    reference.run("--config", "gpus_per_training=0")
    for kind in ("results/*/seed-*/*+*/scores.json", "results/tables/*.csv"):
        ours, theirs = project.files(kind), reference.files(kind)
        assert theirs, f"no {kind}"
        assert ours == theirs, f"{kind} differ from those of the local run"
    say(f"{len(both)} submissions for 16 jobs and one cancelled; scores equal the local run's byte for byte")


def call(cluster: Cluster, project: Project, *arguments: str) -> subprocess.Popen:
    """A user's call of Snakemake; what it says goes to ``slurm.out`` in the project."""
    command = [sys.executable, "-m", "snakemake", *PROFILE, *arguments]
    environment = {name: value for name, value in cluster.environment.items() if name != "PYTHONPATH"}
    with (project.folder / "slurm.out").open("ab") as out:
        return subprocess.Popen(command, cwd=project.folder, env=environment, stdout=out, stderr=out)


def call_and_cancel(cluster: Cluster, project: Project, log: str) -> int:
    """Call Snakemake, cancel the job that writes ``log`` as soon as it does, and wait for the exit code."""
    running = call(cluster, project, "--retries", "0")
    while running.poll() is None and not list(project.folder.glob(log)):
        time.sleep(0.1)
    rule, seed, stage = "train_stage1", 0, "autoencoder"
    comment = f"rule_{rule}_wildcards_{dataset_of(project)}_{seed}_{stage}"
    for job in submissions(cluster):
        if job.comment == comment:
            cluster.command("scancel", str(job.number))
    return running.wait()


def submissions(cluster: Cluster) -> list[Submission]:
    """Every job Slurm was given so far, in order."""
    lines = cluster.command(
        "squeue", "-h", "--states=all", "--Format=JobID:|,Comment:|,State:|,tres-per-job:|"
    )
    jobs = [line.split("|")[:4] for line in lines.splitlines()]
    return sorted((Submission(int(number), *rest) for number, *rest in jobs), key=lambda job: job.number)


def check_shares(first: list[Submission], second: list[Submission]) -> None:
    """Small jobs of a kind share one submission each, trainings have their own."""
    kinds = [sorted(job.comment.split("_wildcards_")[0] for job in jobs) for jobs in (first, second)]
    assert kinds[0] == [
        "rule_datasets_generate_dataset",
        *["rule_train_stage1"] * 4,
        *["rule_train_stage2"] * 3,
    ]
    assert kinds[1] == [
        "rule_report_draw_heatmaps_tabulate",
        "rule_scores_score",
        "rule_train_stage1",
        "rule_train_stage2",
    ]


def check_gpus(first: list[Submission], second: list[Submission]) -> None:
    """With ``gpus_per_training: 1`` each training asks for one and nobody else does; with 0 nobody does."""
    for job in first:
        wanted = "gres:gpu:1" if job.comment.startswith(TRAININGS) else "N/A"
        assert job.gpus == wanted, f"{job.comment} asks for {job.gpus}"
    assert {job.gpus for job in second} == {"N/A"}, second


def dataset_of(project: Project) -> str:
    """The name of the study's only dataset."""
    return next((project.folder / "datasets").iterdir()).name


def say(text: str) -> None:
    """Tell where the test is."""
    print(f"[test-slurm] {text}", flush=True)


def _stop(number: int, _frame: object) -> None:
    if number == signal.SIGALRM:
        raise TimeoutError(f"the test took more than {MOST_SECONDS} s")
    raise KeyboardInterrupt(f"stopped by signal {number}")


if __name__ == "__main__":
    sys.exit(main())
