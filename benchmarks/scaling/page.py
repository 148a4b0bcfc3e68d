"""The page: fixed sentences around the numbers, and sentences that depend on them."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from planning import TARGETS, Planned
from scheduling import Scheduled
from start_up import OUR_ADAM, TORCHS_ADAM, StartUp

BUSY = 0.5
"""The load (processes that want a core) up to which a measurement is not spoiled."""

PAGE = """\
# How far it scales

Written by `{command}`, in one run on one machine: {machine}. On it, a product of two 1500 x 1500 float32 matrices on
one thread took {yardstick:.4f} s; measure that on your machine before you compare times.{busy}

## Planning

Snakemake plans a whole study before its first job. A run is one method on one dataset with one seed. Each study here
has five methods, five seeds and as many datasets as its size needs; nothing has run yet.

{sizes}

{growth}

The project's own studies, with everything in them (`snakemake {targets}`):

{configs}

### Larger studies

A study of {remedy_runs} runs in up to ten experiments, and ways to plan less of it at once:

{remedies}

- Run the experiments one by one (`snakemake --cores 2 only_<experiment>`). Runs that they share are made once.
- Or plan the files in parts, so that jobs start sooner: `--batch all=1/10`, then `all=2/10` and so on. The last
  part has the tables and plans everything that they need, finished or not.
- `--config track_code=false` keeps finished results if only the code has changed, so fewer jobs are planned.
- Studies that share no runs can each have a folder (`--directory`), and can then run at the same time.

## What Snakemake costs a study

Whole studies on one core, from Snakemake's own records of when each job began and ended. Snakemake itself is not
changed: every job is a command that starts Python and imports what it needs. *Start-up* is all time in jobs except
fits: imports, files, scores, tables and figures. *Between jobs*, Snakemake chooses the next job and records the last
one.

{scheduling}

{share}

The cost of a job does not grow with its training. Fewer and larger jobs cost less: on a cluster, small jobs share
submissions ([profiles/slurm](../profiles/slurm/config.yaml)). The profiles set `scheduler: greedy`; Snakemake's other
scheduler solves an optimisation problem whenever it chooses jobs.

## Starting a job

Here each step works on a few hundred samples, so nearly all of the time is start-up and imports. Each number is the
median of three fresh processes.

{start_up}

{torch} {optimisers}
"""


@dataclass(frozen=True)
class Machine:
    """The machine of the measurement; ``load`` is how many processes wanted a core before it began."""

    system: str
    cores: int
    load: float
    yardstick: float
    packages: str


@dataclass(frozen=True)
class Figures:
    """Everything on the page."""

    command: str
    machine: Machine
    sizes: list[Planned]
    configs: list[Planned]
    remedies: list[Planned]
    scheduling: list[Scheduled]
    start_up: list[StartUp]


def render(figures: Figures) -> str:
    """The page in Markdown."""
    machine = figures.machine
    cores = "1 core" if machine.cores == 1 else f"{machine.cores} cores"
    return PAGE.format(
        command=figures.command,
        machine=f"{machine.system}, {cores}, {machine.packages}",
        yardstick=machine.yardstick,
        busy=busy_sentence(machine),
        sizes=_sizes(figures.sizes),
        growth=growth_sentence(figures.sizes),
        configs=_planned("study", figures.configs),
        targets=" ".join(TARGETS),
        remedy_runs=f"{figures.remedies[0].runs:,}",
        remedies=_planned("planned", figures.remedies),
        scheduling=_scheduling(figures.scheduling),
        share=share_sentence(figures.scheduling),
        start_up=_start_up(figures.start_up),
        torch=torch_sentence(figures.start_up),
        optimisers=optimiser_sentence(figures.start_up),
    )


def busy_sentence(machine: Machine) -> str:
    """A warning where the machine had other work."""
    if machine.load <= BUSY:
        return ""
    return (
        f"\n\n**The machine was busy: {machine.load:.1f} processes wanted a core before the start. "
        "The times are too long.**"
    )


def growth_sentence(sizes: Sequence[Planned]) -> str:
    """How the dry run grows between the two largest sizes, in which Snakemake's own start-up matters least."""
    if len(sizes) < 2:
        return "One size alone says nothing about growth."
    before, last = sizes[-2:]
    time, memory = (
        exponent([p.runs for p in (before, last)], costs)
        for costs in ([before.dry_run, last.dry_run], [before.memory_mb, last.memory_mb])
    )
    return (
        f"From {before.runs:,} to {last.runs:,} runs the seconds of a dry run grow like runs^{time:.2f}, and its "
        f"memory like runs^{memory:.2f}. If this went on, {10 * last.runs:,} runs would take "
        f"{last.dry_run * 10**time / 60:.1f} minutes to plan (not measured)."
    )


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The ``a`` of the least-squares fit ``log cost = a log size + b``: 1 is linear growth."""
    return statistics.linear_regression(
        *([math.log(value) for value in values] for values in (sizes, costs))
    ).slope


def share_sentence(scheduled: Sequence[Scheduled]) -> str:
    """Where the time of the last study went, and what it paid for each job."""
    last = scheduled[-1]
    start_up, own = last.in_jobs - last.in_fits, last.planning + last.between_jobs
    return (
        f"Of the run of {last.what}, fits take {last.in_fits / last.whole:.1%}, the start-up of jobs "
        f"{start_up / last.whole:.1%} ({start_up / last.jobs:.2f} s a job), and Snakemake itself, planning and "
        f"between jobs, {own / last.whole:.1%} ({own / last.jobs:.2f} s a job)."
    )


def torch_sentence(steps: Sequence[StartUp]) -> str:
    """Which steps import torch although they do not need it."""
    needless = [step.command for step in steps if "torch" in step.libraries and not step.needs_torch]
    if needless:
        return f"These steps import torch without using it: {', '.join(needless)}."
    return "No step imports torch without using it."


def optimiser_sentence(steps: Sequence[StartUp]) -> str:
    """How much sooner a training starts with our optimisers."""
    seconds = {step.command: step.seconds for step in steps}
    sooner = seconds[TORCHS_ADAM] - seconds[OUR_ADAM]
    return (
        f"A training with our Adam (`pdgmm.fitting.optimisers`) starts {sooner:.1f} s sooner than one with "
        "`torch.optim.Adam`, which imports torch's compiler; both take bitwise the same steps."
    )


def _sizes(sizes: Sequence[Planned]) -> str:
    head = [
        "runs",
        "jobs",
        "read the workflow (s)",
        "dry run (s)",
        "per run (ms)",
        "memory (MB)",
        "per run (kB)",
    ]
    return _table(
        head,
        [
            [
                f"{p.runs:,}",
                f"{p.jobs:,}",
                f"{p.read:.1f}",
                f"{p.dry_run:.1f}",
                f"{1000 * p.dry_run / p.runs:.1f}",
                f"{p.memory_mb:,.0f}",
                f"{1024 * p.memory_mb / p.runs:,.0f}",
            ]
            for p in sizes
        ],
    )


def _planned(first: str, planned: Sequence[Planned]) -> str:
    rows = [[p.what, f"{p.jobs:,}", f"{p.dry_run:.1f}", f"{p.memory_mb:,.0f}"] for p in planned]
    return _table([first, "jobs", "dry run (s)", "memory (MB)"], rows)


def _scheduling(scheduled: Sequence[Scheduled]) -> str:
    head = ["study", "jobs", "whole run (s)", "fits (s)", "start-up (s)", "planning (s)", "between jobs (s)"]
    rows = []
    for one in scheduled:
        seconds = (one.whole, one.in_fits, one.in_jobs - one.in_fits, one.planning, one.between_jobs)
        rows.append([one.what, f"{one.jobs:,}", *(f"{value:,.1f}" for value in seconds)])
    return _table(head, rows)


def _start_up(steps: Sequence[StartUp]) -> str:
    rows = [
        [s.command, f"{s.seconds:.2f}", f"{s.memory_mb:,.0f}", ", ".join(s.libraries) or "–"] for s in steps
    ]
    return _table(["step", "seconds", "memory (MB)", "large libraries imported"], rows, numbers=2)


def _table(head: list[str], rows: list[list[str]], numbers: int | None = None) -> str:
    """A Markdown table; ``numbers`` columns after the first are aligned to the right, by default all of them."""
    numbers = len(head) - 1 if numbers is None else numbers
    marks = ["---", *["--:"] * numbers, *["---"] * (len(head) - 1 - numbers)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, marks, *rows])
