"""The tiny study on a real Slurm, through the profile that users run: ``python tests/slurm/run.py``.

One training is cancelled when it has a checkpoint, the next call finishes the study. At the end the scores equal
those of a run without Slurm, small jobs shared submissions, and only trainings of networks asked for GPUs. Nothing is
left running.
"""

import copy
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
from install import install, reason_to_skip

from conftest import TINY, Project, new_project
from pdgmm.fitting.training_loop import CHECKPOINT_EVERY_STEPS

MOST_SECONDS = 600
"""For everything but the installation, which has a limit of its own: half of one would be worse than a late one."""

LONG_STEPS = 3000
"""Steps of the training that is cancelled: enough for a checkpoint long before its end."""

SLURM = ("--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "5")
"""The user's options, but with an early look at the jobs: they take seconds here, not hours."""


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
    # Every way out, a signal and the time limit too, is an exception, so that `with` and `finally` clean up.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, _stop)
    install()
    signal.alarm(MOST_SECONDS)
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="pdgmm-slurm-"))
    folder.chmod(0o755)
    try:
        with Cluster(folder / "cluster") as cluster:
            check_study(cluster, folder)
        assert not cluster.left_over(), f"still running: {cluster.left_over()}"
    except BaseException:
        print(f"FAILED test-slurm; logs are in {folder}", flush=True)
        raise
    signal.alarm(0)
    shutil.rmtree(folder)
    say(f"all holds, {time.monotonic() - started:.0f} s, nothing left running")
    return 0


def check_study(cluster: Cluster, folder: Path) -> None:
    """Everything in the order in which a user meets it."""
    study = copy.deepcopy(TINY)
    study["methods"]["lagrangian"]["steps"] = LONG_STEPS
    # Jobs inherit it: a checkpoint is there within seconds.
    cluster.environment[CHECKPOINT_EVERY_STEPS] = "100"
    project = new_project(folder / "slurm", {**study, "gpus_per_training": 1})
    local = new_project(folder / "local", study)
    reference = local_run(cluster, local)
    say("first call: a training is cancelled halfway")
    code = call_and_cancel(cluster, project, "train_stage2", "autoencoder", "lagrangian")
    assert code == 1, f"a cancelled job must fail the call; its exit code is {code}"
    first = submissions(cluster)
    check_first_call(project, first)
    assert project.files("results/*/seed-0/autoencoder+lagrangian/checkpoint.pt"), "it can be resumed"

    say("second call, without GPUs: the study is finished")
    code = call(cluster, project, "--config", "gpus_per_training=0").wait()
    assert code == 0, f"the second call ended with {code}"
    second = submissions(cluster)[len(first) :]
    check_second_call(second)
    _, output = project.run("-n", *SLURM)
    assert "Nothing to be done" in output, output

    assert reference.wait() == 0, "the run without Slurm failed"
    for kind in ("results/*/seed-*/*/scores.json", "results/tables/*.csv"):
        assert len(local.files(kind)) == len(project.files(kind)) > 0, f"no {kind}"
        assert local.files(kind) == project.files(kind), f"{kind} differ from those of the run without Slurm"
    say(
        f"{len(first) + len(second)} submissions for 14 jobs and one again; scores equal the local ones to the byte"
    )


def check_first_call(project: Project, jobs: list[Submission]) -> None:
    """The cancelled job took nothing else with it, and only trainings that can use a GPU asked for one."""
    assert rules(jobs) == [
        "rule_datasets_generate_dataset",
        "rule_encode_training",
        *["rule_train_stage1"] * 2,
        "rule_train_stage2",
    ], jobs
    cancelled = [job.comment for job in jobs if job.state == "CANCELLED"]
    assert cancelled == [comment(project, "train_stage2", "autoencoder", "lagrangian")], jobs
    assert project.files("results/*/seed-0/fastica/model.safetensors"), (
        "the other method is fitted to its end"
    )
    for job in jobs:
        trains_a_network = job.comment.startswith("rule_train") and "autoencoder" in job.comment
        wanted = "gres:gpu:1" if trains_a_network else "N/A"
        assert job.gpus == wanted, f"{job.comment} asks for the GPUs {job.gpus}"


def check_second_call(jobs: list[Submission]) -> None:
    """Only what was missing ran; codes and scores shared a submission, so did tables and figures; GPUs are off."""
    assert rules(jobs) == [
        "rule_report_draw_heatmaps_draw_supports_tabulate",
        "rule_scores_encode_score",
        "rule_summarise",
        "rule_train_stage2",
    ], jobs
    assert {job.gpus for job in jobs} == {"N/A"}, jobs


def call(cluster: Cluster, project: Project, *arguments: str) -> subprocess.Popen:
    """A user's call of Snakemake; what it says goes to ``snakemake.out`` in the project."""
    return _snakemake(cluster, project, *SLURM, *arguments)


def local_run(cluster: Cluster, project: Project) -> subprocess.Popen:
    """The same study without Slurm, in the time in which the test waits for the other."""
    return _snakemake(cluster, project, "--cores", "1")


def call_and_cancel(cluster: Cluster, project: Project, rule: str, *stages: str) -> int:
    """Call Snakemake, cancel a training of seed 0 once it has a checkpoint, and wait for the exit code."""
    # Without retries, which would hide the failure.
    running = call(cluster, project, "--retries", "0")
    checkpoint = f"results/*/seed-0/{'+'.join(stages)}/checkpoint.pt"
    while running.poll() is None and not list(project.folder.glob(checkpoint)):
        time.sleep(0.1)
    assert running.poll() is None, "the call ended before the training had a checkpoint"
    for job in submissions(cluster):
        if job.comment == comment(project, rule, *stages):
            cluster.command("scancel", str(job.number))
    return running.wait()


def submissions(cluster: Cluster) -> list[Submission]:
    """Every job Slurm was given so far, in order."""
    lines = cluster.command(
        "squeue", "-h", "--states=all", "--Format=JobID:|,Comment:|,State:|,tres-per-job:|"
    )
    jobs = [line.split("|")[:4] for line in lines.splitlines()]
    return sorted((Submission(int(number), *rest) for number, *rest in jobs), key=lambda job: job.number)


def rules(jobs: list[Submission]) -> list[str]:
    """What the jobs are, without their dataset and method."""
    return sorted(job.comment.partition("_wildcards_")[0] for job in jobs)


def comment(project: Project, rule: str, *stages: str) -> str:
    """How Slurm's list names a training: rule, dataset, seed and method."""
    dataset = next((project.folder / "datasets").iterdir()).name
    return f"rule_{rule}_wildcards_{dataset}_0_{'_'.join(stages)}"


def say(text: str) -> None:
    """Tell where the test is."""
    print(f"[test-slurm] {text}", flush=True)


def _snakemake(cluster: Cluster, project: Project, *arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "snakemake", *arguments, "--configfile", "study.yaml"]
    return cluster.start(command, project.folder, project.folder / "snakemake.out")


def _stop(number: int, _frame: object) -> None:
    if number == signal.SIGALRM:
        raise TimeoutError(f"the test took more than {MOST_SECONDS} s")
    raise KeyboardInterrupt(f"stopped by signal {number}")


if __name__ == "__main__":
    sys.exit(main())
