"""Measure how planning, scheduling and the start of jobs scale, and write docs/scaling.md.

This process imports nothing large, since the peak memory of a process is at least that of the one that starts it.
"""

import argparse
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from page import Figures, Machine, render
from planning import CONFIGS, measure_config, measure_remedies, measure_size
from scheduling import measure_real, measure_small
from start_up import measure_start_up
from timed_process import ROOT
from yardstick import usable_cores, yardstick

from pdgmm.store.atomic import write_text

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


def measure(quick: bool, command: str) -> Figures:
    """Measure everything, one thing at a time."""
    machine = say("machine", measure_machine())
    start_up = [say("start-up", step) for step in measure_start_up()]
    sizes = [
        say("planning", measure_size(runs)) for runs in ((100, 1_000) if quick else (100, 1_000, 10_000))
    ]
    configs = [say("planning", measure_config(file)) for file in CONFIGS]
    remedies = say("planning less", measure_remedies(REMEDY_RUNS))
    scheduling = [say("scheduling", measure_small(5 if quick else 40))]
    scheduling += [] if quick else [say("scheduling", measure_real())]
    return Figures(command, machine, sizes, configs, remedies, scheduling, start_up)


def say(what: str, measured: T) -> T:
    """Print a measurement while the others go on, and return it."""
    print(f"{what}: {measured}", flush=True)
    return measured


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave out 10,000 runs and the real experiment")
    parser.add_argument(
        "--out", type=Path, help="file to write (docs/scaling.md; with --quick results/scaling.md)"
    )
    options = parser.parse_args()
    out = options.out or (RESULTS if options.quick else PAGE)
    write_text(out, render(measure(options.quick, f"make scaling{' SCALING=quick' * options.quick}")))
    print(f"wrote {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
