"""What a run gives that nobody disturbs, and how long its parts live."""

import contextlib
import copy
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from workflow_project import TINY, Project, new_project

from pdgmm.fitting.training_loop import CHECKPOINT_EVERY_STEPS

SNAKEMAKE = "snakemake"
STEPS = ("generate", "train-stage1", "train-stage2")
WRITING = "writing"
"""The part of a dataset's step in which its half-written file is there."""

WHOLE_FILES = (
    "datasets/*/*.h5",
    "results/*/seed-*/*/model.safetensors",
    "results/*/seed-*/*/latents.h5",
    "results/*/seed-*/*/scores.json",
    "results/tables/*.csv",
)
"""Files that a seed alone decides, to the byte."""

POLL_SECONDS = 0.05

LONGEST_WAIT = 600.0
"""Seconds after which a run that should have ended counts as one that hangs."""


def study() -> dict:
    """The tiny study with a dataset and trainings long enough to be hit while they work."""
    config = copy.deepcopy(TINY)
    config["datasets"]["pdgmm"]["samples"]["train"] = 300_000
    config["stage1"]["autoencoder"]["steps"] = 2000
    config["stage2"]["lagrangian"]["steps"] = 2000
    return config


def content(project: Project) -> dict[Path, bytes]:
    """The whole files of a project, by their paths in it."""
    return {path: data for pattern in WHOLE_FILES for path, data in project.files(pattern).items()}


@dataclass(frozen=True)
class Undisturbed:
    """The files of a run, and the seconds that Snakemake, each kind of step and the dataset's writing lived."""

    files: dict[Path, bytes]
    seconds: dict[str, float]

    def differing(self, project: Project) -> int:
        """How many files of ``project`` are there with other content."""
        return sum(data != self.files.get(path) for path, data in content(project).items())

    def missing(self, project: Project) -> int:
        """How many files ``project`` lacks."""
        return len(self.files.keys() - content(project).keys())


def start(project: Project) -> subprocess.Popen:
    """A user's run in a session of its own, with checkpoints close to each other; its output goes to a file."""
    with (project.folder / "run.out").open("ab") as output:
        return subprocess.Popen(
            project.command(),
            cwd=project.folder,
            env=project.environment(**{CHECKPOINT_EVERY_STEPS: "100"}),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def end(run: subprocess.Popen) -> None:
    """End what is left of a run of ours: it leads a process group of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()


def half_written(folder: Path) -> list[Path]:
    """The datasets of the project in ``folder`` that are being written, or that a killed writer left."""
    return list(folder.glob("datasets/*/.*.part"))


def running_steps(run: subprocess.Popen) -> dict[int, str]:
    """The kinds of the steps that a run has alive, by their process numbers."""
    found = {}
    try:
        children = psutil.Process(run.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return found
    for child in children:
        try:
            # A word of its own: the shell that started the step has the whole command in one.
            kinds = [word for word in child.cmdline() if word in STEPS]
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
        if kinds:
            found[child.pid] = kinds[0]
    return found


def run_undisturbed(folder: Path) -> Undisturbed:
    """Run the study in ``folder`` and watch its processes."""
    project = new_project(folder, study())
    began = time.monotonic()
    run = start(project)
    first, last, kinds = {}, {}, {}
    written = []
    try:
        while run.poll() is None and time.monotonic() < began + LONGEST_WAIT:
            now = time.monotonic()
            for pid, kind in running_steps(run).items():
                kinds[pid] = kind
                first.setdefault(pid, now)
                last[pid] = now
            written += [now] if half_written(folder) else []
            time.sleep(POLL_SECONDS)
    finally:
        end(run)
    whole = time.monotonic() - began
    if run.returncode:
        raise RuntimeError(f"the undisturbed run failed:\n{(project.folder / 'run.out').read_text()[-3000:]}")
    lives = {kind: [last[p] - first[p] for p in first if kinds[p] == kind] for kind in STEPS}
    seconds = {kind: max(each) for kind, each in lives.items()}
    seconds[WRITING] = written[-1] - written[0] if written else 0.0
    return Undisturbed(content(project), {SNAKEMAKE: whole, **seconds})
