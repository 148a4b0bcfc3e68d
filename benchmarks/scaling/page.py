"""The page: fixed sentences around the figures, and sentences that depend on them."""

from collections.abc import Sequence

from figures import Batching, Figures, Machine, Planned, StartUp
from growth import exponent, in_words
from planning import PAPER, TARGETS

PAYS_OFF = 1.3
"""Times faster that fits of several seeds must be together to be worth the code."""

PAPER_SEEDS, BASE_LATENTS = 5, 10
"""Seeds of a setting in the paper's tables, and latents in most of its settings."""

MOST_SECONDS = 30.0
"""What planning the paper's full grid may take."""

BUSY = 0.5
"""Processes that may want a core before the measurement without spoiling it."""

PAGE = """\
# How far it scales

Written by `{command}` on one machine, in one run: {machine}. The yardstick, a product of two 1500 x 1500 float32
matrices on one thread, took {yardstick:.4f} s: compare it to that of another machine before comparing times.{busy}

## Planning

Snakemake plans a whole study before its first job. A run is one method on one dataset with one seed. Each study here
has five methods and five seeds, with as many datasets as its size takes, and nothing is finished yet.

{sizes}

{growth}

The project's own studies, planned whole (`snakemake {targets}`):

{configs}

{limit}

### Larger studies

A study of {remedy_runs} runs dealt to up to ten experiments, and what plans less of it:

{remedies}

{remedy}

- Run the experiments one by one (`snakemake --cores 2 only_<experiment>`). Runs that they share are made once.
- Or plan the files in parts, so that jobs start sooner: `--batch all=1/10`, then `all=2/10` and so on. The last
  part holds the tables and plans all that they are made of, finished or not.
- `--config track_code=false` leaves finished results alone when only the code has changed, so fewer jobs are planned.
- Studies that share no runs can have a folder each (`--directory`), and then also run at the same time.

## Starting a job

Every job is a command. Here each step works on a dataset of a few hundred samples, so nearly all of the time is
start-up and imports: the median of three fresh processes each.

{start_up}

{torch}

## Several seeds at once

Seeds of one setting could be trained as one stack of networks that share their operations. A stack cannot be faster
than one network on as many samples, so steps of a flow are timed on the batches of several seeds at once, on one
thread: CPU milliseconds for each seed and step, the best of five. A whole fit (100,000 samples, default settings)
also searches affine solutions and measures held-out likelihoods, which each seed does for itself.

{batching}

{pays_off}
"""


def render(figures: Figures) -> str:
    """The page in Markdown."""
    machine = figures.machine
    return PAGE.format(
        command=figures.command,
        machine=f"{machine.system}, {_cores(machine.cores)}, {machine.packages}",
        yardstick=machine.yardstick,
        busy=busy_sentence(machine),
        sizes=_sizes(figures.sizes),
        growth=growth_sentence(figures.sizes),
        configs=_table(
            ["study", "jobs", "dry run (s)", "memory (MB)"],
            [[p.what, f"{p.jobs:,}", f"{p.dry_run:.1f}", f"{p.memory_mb:,.0f}"] for p in figures.configs],
        ),
        targets=" ".join(TARGETS),
        limit=limit_sentence(figures.configs),
        remedy_runs=f"{figures.remedies[0].runs:,}",
        remedies=_table(
            ["planned", "jobs", "dry run (s)", "memory (MB)"],
            [[p.what, f"{p.jobs:,}", f"{p.dry_run:.1f}", f"{p.memory_mb:,.0f}"] for p in figures.remedies],
        ),
        remedy=remedy_sentence(figures.remedies),
        start_up=_start_up(figures.start_up),
        torch=torch_sentence(figures.start_up),
        batching=_batching(figures.batching),
        pays_off=batching_sentence(figures.batching),
    )


def busy_sentence(machine: Machine) -> str:
    """A warning where the machine had other work."""
    if machine.load <= BUSY:
        return ""
    return (
        f"\n\n**The machine was busy: {machine.load:.1f} processes wanted a core before the start. "
        "Times are too long.**"
    )


def growth_sentence(sizes: Sequence[Planned]) -> str:
    """How the dry run grows, by all sizes and by the last two, which feel Snakemake's own start least."""
    if len(sizes) < 2:
        return "One size alone says nothing about growth."
    first, before, last = sizes[0], sizes[-2], sizes[-1]
    growth = exponent([p.runs for p in (before, last)], [p.dry_run for p in (before, last)])
    memory = exponent([p.runs for p in (before, last)], [p.memory_mb for p in (before, last)])
    text = (
        f"From {before.runs:,} to {last.runs:,} runs the seconds of a dry run grow like runs^{growth:.2f}, "
        f"which is {in_words(growth)}, and its memory like runs^{memory:.2f}."
    )
    if len(sizes) > 2:
        fitted = exponent([p.runs for p in sizes], [p.dry_run for p in sizes])
        text += (
            f" A fit from {first.runs:,} runs on gives runs^{fitted:.2f}: small studies feel that Snakemake has to "
            "start."
        )
    ahead = last.dry_run * 10**growth / 60
    return f"{text} If this went on, {10 * last.runs:,} runs would take {ahead:.1f} minutes to plan (not measured)."


def limit_kept(configs: Sequence[Planned]) -> bool:
    """Whether the paper's full grid, if it was planned, was planned in time."""
    return all(planned.dry_run < MOST_SECONDS for planned in configs if planned.what == f"`{PAPER}`")


def limit_sentence(configs: Sequence[Planned]) -> str:
    """Whether the paper's full grid is planned in the time that it may take."""
    paper = next((planned for planned in configs if planned.what == f"`{PAPER}`"), None)
    if paper is None:
        return f"`{PAPER}` was not planned: nothing can be said about its limit of {MOST_SECONDS:.0f} s."
    verdict = "kept" if limit_kept(configs) else "**missed**"
    return (
        f"The paper's full grid, images included, must be planned in less than {MOST_SECONDS:.0f} s: "
        f"{verdict}, {paper.dry_run:.1f} s for {paper.jobs:,} jobs."
    )


def remedy_sentence(remedies: Sequence[Planned]) -> str:
    """Which part of the study plans fastest."""
    whole, *others = remedies
    best = min(others, key=lambda remedy: remedy.dry_run)
    if best.dry_run >= whole.dry_run:
        return "None of them was planned faster than the whole here: at this size there is nothing to save."
    return (
        f"Planned fastest: {best.what}, {best.dry_run:.1f} s against {whole.dry_run:.1f} s. "
        "The workflow and the whole config are read in every case."
    )


def torch_sentence(steps: Sequence[StartUp]) -> str:
    """Which steps wait for torch without need."""
    needless = [step.command for step in steps if "torch" in step.libraries and not step.needs_torch]
    if needless:
        return f"Imported torch without need: {', '.join(needless)}."
    return "No step imports torch that does not need it."


def batching_sentence(rows: Sequence[Batching]) -> str:
    """Whether fits that share their steps could be enough faster, at the base setting with the paper's seeds."""
    base = next(row for row in rows if row.latents == BASE_LATENTS)
    best = max(rows, key=lambda row: row.gain(PAPER_SEEDS))
    gain = base.gain(PAPER_SEEDS)
    text = (
        f"With {PAPER_SEEDS} seeds, as many as the paper has, a fit at the base setting ({BASE_LATENTS} latents) "
        f"would take at best 1/{gain:.2f} of its time, whatever the stack were made of"
    )
    if best is not base:
        text += f", and with {best.latents} latents 1/{best.gain(PAPER_SEEDS):.2f}"
    if gain >= PAYS_OFF:
        return (
            f"{text}. At the base setting that is {PAYS_OFF} or more, so a stack may pay off on this machine. It is "
            "not offered: seeds in a stack would fail, resume and be scheduled as one, and their scores would depend "
            "on the seeds beside them."
        )
    return (
        f"{text}. At the base setting that is less than {PAYS_OFF}: batching seeds does not pay off on this machine, "
        "and each seed keeps a job of its own, which can fail, resume and be scheduled alone."
    )


def _cores(count: int) -> str:
    return "1 core" if count == 1 else f"{count} cores"


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
    rows = [
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
    ]
    return _table(head, rows)


def _start_up(steps: Sequence[StartUp]) -> str:
    rows = [
        [
            s.command,
            f"{s.seconds:.2f}",
            f"{s.memory_mb:,.0f}",
            ", ".join(s.libraries) or "–",
        ]
        for s in steps
    ]
    head = ["step", "seconds", "memory (MB)", "large libraries imported"]
    return _table(head, rows, numbers=range(1, 3))


def _batching(rows: Sequence[Batching]) -> str:
    seeds = sorted(rows[0].step_seconds)
    head = ["latents", "whole fit (s)", "of it steps"]
    head += ["1 seed (ms)", *(f"{count} seeds" for count in seeds[1:])]
    head += [f"fit at best, {count} seeds" for count in seeds[1:]]
    cells = [
        [
            str(row.latents),
            f"{row.fit_seconds:.0f}",
            f"{100 * row.batched_share:.0f} %",
            *(f"{1000 * row.step_seconds[count]:.2f}" for count in seeds),
            *(f"1/{row.gain(count):.2f}" for count in seeds[1:]),
        ]
        for row in rows
    ]
    return _table(head, cells)


def _table(head: list[str], rows: list[list[str]], numbers: range | None = None) -> str:
    """A Markdown table; ``numbers`` are the columns set to the right, all but the first unless told."""
    numbers = range(1, len(head)) if numbers is None else numbers
    marks = ["--:" if column in numbers else "---" for column in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, marks, *rows])
