"""``kill -9`` at random moments: the next run finishes, and every file equals the undisturbed run's."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from case import Case
from undisturbed import (
    LONGEST_WAIT,
    POLL_SECONDS,
    SNAKEMAKE,
    WRITING,
    Undisturbed,
    end,
    half_written,
    running_steps,
    start,
    study,
)
from workflow_project import Project, new_project

VICTIMS = {
    "kill -9 of Snakemake": (SNAKEMAKE,),
    "kill -9 of a training": ("train-stage1", "train-stage2"),
    "kill -9 of a dataset's writer": ("generate",),
}
MOST_TOLD = 3
"""Problems that the page tells in words."""

TRAININGS = 4
"""Fits of the study: two methods, two stages each."""


def kill_at_random(
    name: str, times: int, undisturbed: Undisturbed, folder: Path, say: Callable[[str], None]
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
            hit = _kill(run, VICTIMS[name], undisturbed, rng, project.folder)
            if hit:
                tried += 1
                problem, damaged = _outcome(project, run, undisturbed)
                lost += damaged
                problems += [f"{hit}: {problem}"] if problem else []
                say(f"{name} {tried} of {times}: {hit}; {problem or 'finished, all files equal'}")
            elif run.poll():
                problems.append(f"the run failed before it was disturbed: {_said(project)}")
                break
            else:
                missed += 1
        finally:
            end(run)
            shutil.rmtree(project.folder)
    if tried < times:
        problems.append(f"only {tried} of {times} moments hit a living process")
    notes = [f"{missed} moments came too late and were drawn again"] if missed else []
    note = "; ".join([*problems[:MOST_TOLD], *notes])
    return Case(name, tried, len(problems), lost, time.monotonic() - began, note)


def _outcome(project: Project, run: subprocess.Popen, undisturbed: Undisturbed) -> tuple[str, int]:
    """What is wrong after the kill and a run to the end, in words, and how many files have other content."""
    hangs = _hangs(run, LONGEST_WAIT)
    before = undisturbed.differing(project)
    problem = "the run hangs" if hangs else _after(project, run, undisturbed)
    if before and not problem:
        problem = f"{before} files differed until the next run made them again"
    return problem, max(before, undisturbed.differing(project))


def _kill(
    run: subprocess.Popen,
    kinds: tuple[str, ...],
    undisturbed: Undisturbed,
    rng: random.Random,
    folder: Path,
) -> str:
    """Kill the victim at a random moment of its life; in words what was hit, ``""`` where it had ended before."""
    if kinds == (SNAKEMAKE,):
        moment = rng.uniform(0.02, 0.95) * undisturbed.seconds[SNAKEMAKE]
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(moment)
            return ""
        # Only Snakemake itself: the steps that it started go on, beside those of the next run.
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        return f"after {moment:.1f} s"
    pid, kind = _victim(run, kinds, rng.randrange(TRAININGS) if len(kinds) > 1 else 0)
    if pid is None:
        return ""
    writes = kinds == ("generate",)
    moment = rng.uniform(0.02, 0.95) * undisturbed.seconds[WRITING if writes else kind]
    if writes and not _begins_to_write(run, pid, folder):
        return ""
    time.sleep(moment)
    if running_steps(run).get(pid) != kind:
        return ""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        what = " of writing" if half_written(folder) else ", its file being whole"
        return f"{kind} after {moment:.2f} s{what if writes else ''}"
    return ""


def _begins_to_write(run: subprocess.Popen, pid: int, folder: Path) -> bool:
    """Wait until the half-written file of a dataset is there; False where the writer ended first."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not half_written(folder):
        if pid not in running_steps(run) or time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS / 10)
    return True


def _victim(run: subprocess.Popen, kinds: tuple[str, ...], skip: int) -> tuple[int | None, str]:
    """The first step of these kinds after ``skip`` others."""
    seen: dict[int, str] = {}
    deadline = time.monotonic() + LONGEST_WAIT
    while run.poll() is None and time.monotonic() < deadline:
        for pid, kind in running_steps(run).items():
            if kind in kinds and pid not in seen:
                seen[pid] = kind
                if len(seen) > skip:
                    return pid, kind
        time.sleep(POLL_SECONDS)
    return None, ""


def _after(project: Project, killed: subprocess.Popen, undisturbed: Undisturbed) -> str:
    """Run to the end; what is wrong then, in words."""
    again = start(project)
    try:
        if _hangs(again, LONGEST_WAIT):
            return f"the next run hangs: it did not end in {LONGEST_WAIT:.0f} s"
    finally:
        end(again)
    # Steps that outlived their Snakemake may still write.
    deadline = time.monotonic() + LONGEST_WAIT
    while _group_lives(killed.pid) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    if again.returncode:
        return f"the next run failed: {_said(project)}"
    missing, differing = undisturbed.missing(project), undisturbed.differing(project)
    left = len(half_written(project.folder))
    if missing or differing or left:
        return f"{missing} files missing, {differing} differ, {left} half-written ones are left"
    return ""


def _said(project: Project) -> str:
    """The end of what the runs in a project said."""
    return (project.folder / "run.out").read_text(errors="replace")[-1500:]


def _hangs(run: subprocess.Popen, seconds: float) -> bool:
    """Whether a run is still there after so many seconds."""
    try:
        run.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


def _group_lives(group: int) -> bool:
    """Whether a process of the group still works; where nobody collects orphans, dead ones stay listed."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                return True
    return False
