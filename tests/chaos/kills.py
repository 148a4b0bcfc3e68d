"""``kill -9`` at random moments: the next run finishes, and every file equals the undisturbed run's."""

import contextlib
import copy
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from counts import Case
from workflow_project import TINY, Project, new_project

from pdgmm.fitting.training_loop import CHECKPOINT_EVERY_STEPS

SNAKEMAKE, WRITER = ("snakemake",), ("generate",)
TRAININGS = ("train-stage1", "train-stage2")
VICTIMS = {
    "kill -9 of Snakemake": SNAKEMAKE,
    "kill -9 of a training": TRAININGS,
    "kill -9 of a dataset's writer": WRITER,
}
LATEST = {SNAKEMAKE: 30.0, TRAININGS: 6.0, WRITER: 0.5}
"""Seconds in which a victim is killed: after the start of the run, of the training, and of writing the dataset.

A moment that comes too late is drawn again.
"""
FITS = 3
"""Fits of the study: a chain of one and a chain of two."""

RESULTS = ("model.safetensors", "latents.h5", "scores.json")
WHOLE_FILES = ("datasets/*/*.h5", *(f"results/*/seed-*/*/{name}" for name in RESULTS), "results/tables/*.csv")
"""Files that a seed alone decides, to the byte."""

POLL_SECONDS = 0.01
LONGEST_WAIT = 600.0
"""Seconds after which a run that should have ended counts as one that hangs."""

MOST_TOLD = 3
"""Problems that the page tells in words."""


def study() -> dict:
    """The tiny study with a dataset and trainings long enough to be hit while they work."""
    config = copy.deepcopy(TINY)
    config["datasets"]["pdgmm"]["samples"]["train"] = 300_000
    for method in ("autoencoder", "lagrangian"):
        config["methods"][method]["steps"] = 2000
    return config


def run_undisturbed(folder: Path) -> dict[Path, bytes]:
    """The files that the study in ``folder`` gives where nobody disturbs it."""
    project = new_project(folder, study())
    project.run()
    return content(project)


def content(project: Project) -> dict[Path, bytes]:
    """The whole files of a project, by their paths in it."""
    return {path: data for pattern in WHOLE_FILES for path, data in project.files(pattern).items()}


def kill_at_random(
    name: str, times: int, expected: dict[Path, bytes], folder: Path, say: Callable[[str], None]
) -> Case:
    """Kill a victim ``times`` times, each time in a new copy of the project, and run to the end after it."""
    began = time.monotonic()
    # A seed of its own for each victim: the moments can be had again.
    rng = random.Random(name)
    tried = lost = missed = 0
    problems: list[str] = []
    while tried < times and missed < 3 * times:
        project = new_project(folder / "killed", study())
        run = start(project)
        try:
            hit = kill(run, VICTIMS[name], rng, project.folder)
            if hit:
                tried += 1
                damaged, problem = outcome(project, run, expected)
                lost += damaged
                problems += [f"{hit}: {problem}"] if problem else []
                say(f"{name} {tried} of {times}: {hit}; {problem or 'finished, all files equal'}")
            missed += not hit
        finally:
            end(run)
            shutil.rmtree(project.folder)
    if tried < times:
        problems.append(f"only {tried} of {times} moments hit a living process")
    notes = [f"{missed} moments came too late and were drawn again"] if missed else []
    note = "; ".join([*problems[:MOST_TOLD], *notes])
    return Case(name, tried, len(problems), lost, time.monotonic() - began, note)


def start(project: Project) -> subprocess.Popen:
    """A user's run in a session of its own, with checkpoints close to each other; its output goes to a file."""
    environment = project.environment(**{CHECKPOINT_EVERY_STEPS: "100"})
    with (project.folder / "run.out").open("ab") as out:
        return subprocess.Popen(
            project.command(),
            cwd=project.folder,
            env=environment,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )


def end(run: subprocess.Popen) -> None:
    """End what is left of a run of ours: it leads a process group of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()


def kill(run: subprocess.Popen, victim: tuple[str, ...], rng: random.Random, folder: Path) -> str:
    """Kill the victim at a random moment of its life; in words what was hit, ``""`` where it had ended before."""
    moment, kind = rng.uniform(0.0, LATEST[victim]), "snakemake"
    if victim == SNAKEMAKE:
        # Only Snakemake itself: the steps that it started go on, beside those of the next run.
        pid = run.pid
    else:
        pid, kind = first_step(run, victim, rng.randrange(FITS) if victim == TRAININGS else 0)
        if victim == WRITER and not wait(lambda: half_written(folder), lambda: pid in running_steps(run)):
            return ""
    time.sleep(moment)
    if run.poll() is not None or (victim != SNAKEMAKE and running_steps(run).get(pid) != kind):
        return ""
    os.kill(pid, signal.SIGKILL)
    return f"{kind} after {moment:.2f} s{' of writing' if victim == WRITER else ''}"


def first_step(run: subprocess.Popen, kinds: tuple[str, ...], skip: int) -> tuple[int, str]:
    """Process number and kind of the first step of these kinds after ``skip`` others; 0 where there is none."""
    seen: dict[int, str] = {}

    def found() -> bool:
        seen.update({pid: kind for pid, kind in running_steps(run).items() if kind in kinds})
        return len(seen) > skip

    return list(seen.items())[skip] if wait(found, lambda: run.poll() is None) else (0, "")


def running_steps(run: subprocess.Popen) -> dict[int, str]:
    """The kinds of the steps that a run has alive, by their process numbers."""
    found = {}
    gone = (psutil.NoSuchProcess, psutil.AccessDenied)
    with contextlib.suppress(*gone):
        for child in psutil.Process(run.pid).children(recursive=True):
            with contextlib.suppress(*gone):
                # A word of its own: the shell that started the step has the whole command in one.
                kinds = {*WRITER, *TRAININGS} & set(child.cmdline())
                found.update(dict.fromkeys([child.pid], *kinds) if kinds else {})
    return found


def outcome(project: Project, killed: subprocess.Popen, expected: dict[Path, bytes]) -> tuple[int, str]:
    """After the kill: how many files have other content, before or after a run to the end, and what is wrong."""
    if not wait(lambda: killed.poll() is not None, lambda: True):
        return 0, "the run hangs"
    before = sum(data != expected.get(path) for path, data in content(project).items())
    again = start(project)
    ended = wait(lambda: again.poll() is not None, lambda: True)
    end(again)
    # Steps that outlived their Snakemake may still write.
    wait(lambda: not group_lives(killed.pid), lambda: True)
    found = content(project)
    differing = sum(data != expected.get(path) for path, data in found.items())
    counts = {
        "the next run hangs": not ended,
        f"the next run failed: {(project.folder / 'run.out').read_text()[-1500:]}": again.returncode,
        "files differed until the next run made them again": before,
        "files differ": differing,
        "files are missing": len(expected.keys() - found.keys()),
        "half-written files are left": len(half_written(project.folder)),
    }
    return max(before, differing), "; ".join(words for words, count in counts.items() if count)


def wait(condition: Callable[[], object], lives: Callable[[], bool]) -> bool:
    """Wait for a condition; False where what it depends on ended first, or it took too long."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not condition():
        if not lives() or time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def half_written(folder: Path) -> list[Path]:
    """The datasets of the project in ``folder`` that are being written, or that a killed writer left."""
    return list(folder.glob("datasets/*/.*.part"))


def group_lives(group: int) -> bool:
    """Whether a process of the group still works; where nobody collects orphans, dead ones stay listed."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                return True
    return False
