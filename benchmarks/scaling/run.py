"""Measure how planning, start-up and training of many seeds scale, and write docs/scaling.md.

This process imports nothing large: what it starts is charged at least its memory.
"""

import argparse
import json
import os
import platform
import shlex
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from figures import Batching, Figures, Machine
from page import limit_kept, render
from planning import CONFIGS, measure_config, measure_remedies, measure_size
from start_up import measure_start_up
from timed_process import ROOT, timed
from yardstick import usable_cores, yardstick

from pdgmm.store.atomic import write_text

SIZES = (100, 1_000, 10_000)
QUICK_SIZES = (100, 1_000)
REMEDY_RUNS = 1_000
PAGE = ROOT / "docs" / "scaling.md"
RESULTS = ROOT / "results" / "scaling.md"
PACKAGES = ("snakemake", "torch", "numpy")

T = TypeVar("T")


def measure_machine() -> Machine:
    """Cores, load and speed, before anything else runs."""
    load = os.getloadavg()[0]
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return Machine(
        f"{platform.system()} {platform.machine()}",
        usable_cores(),
        load,
        yardstick(),
        f"Python {platform.python_version()}, {packages}",
    )


def measure_batching() -> list[Batching]:
    """Whole fits, and their steps for one seed and for several."""
    done = timed([sys.executable, str(Path(__file__).with_name("batched_seeds.py"))])
    rows = json.loads(done.output.splitlines()[-1])
    return [
        Batching(**row | {"step_seconds": {int(k): v for k, v in row["step_seconds"].items()}})
        for row in rows
    ]


def measure(sizes: list[int], command: str) -> Figures:
    """Everything, one thing at a time."""
    machine = say("machine", measure_machine())
    batching = say("seeds", measure_batching())
    start_up = [say("start-up", step) for step in measure_start_up()]
    planned = [say("planning", measure_size(runs)) for runs in sizes]
    configs = [say("planning", measure_config(file)) for file in CONFIGS]
    remedies = say("planning less", measure_remedies(min(REMEDY_RUNS, sizes[-1])))
    return Figures(command, machine, planned, configs, remedies, start_up, batching)


def say(what: str, measured: T) -> T:
    """Show what was measured while the rest goes on."""
    print(f"{what}: {measured}", flush=True)
    return measured


def main() -> int:
    """Measure and write the page; 1 where the paper's grid takes longer to plan than it may."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave out the study of 10,000 runs")
    parser.add_argument("--runs", type=int, nargs="+", help="sizes of the studies (100 1000 10000)")
    parser.add_argument(
        "--out", type=Path, help="file to write (docs/scaling.md; with --quick results/scaling.md)"
    )
    options = parser.parse_args()
    sizes = sorted(options.runs or (QUICK_SIZES if options.quick else SIZES))
    command = shlex.join(["python", "benchmarks/scaling/run.py", "--runs", *map(str, sizes)])
    if not options.runs:
        command = "make scaling SCALING=quick" if options.quick else "make scaling"
    figures = measure(sizes, command)
    out = options.out or (RESULTS if options.quick else PAGE)
    write_text(out, render(figures))
    print(f"wrote {out}")
    return int(not limit_kept(figures.configs))


if __name__ == "__main__":
    sys.exit(main())
