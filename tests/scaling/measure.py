"""How planning grows with the number of runs: ``python tests/scaling/measure.py [--functions] [runs ...]``.

Plans a synthetic study of each size with Snakemake's own commands and prints a Markdown table: how long reading
the workflow takes (``--list-rules``), how long the whole dry run (``-n``), and its memory at the peak.
``--functions`` prints instead in which functions the dry run of each size spends its time.
"""

import argparse
import os
import pstats
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
SIZES = (100, 1_000, 10_000)
METHODS = (
    "identity+none",
    "identity+fastica",
    "autoencoder+none",
    "autoencoder+lagrangian",
    "autoencoder+fastica",
)
SEEDS = 5
KILOBYTES_IN_A_MEGABYTE = 1024


def study(runs: int) -> dict:
    """A config with so many runs: five methods, five seeds, and as many datasets as that takes."""
    datasets = max(1, runs // (SEEDS * len(METHODS)))
    return {
        "datasets": {"pdgmm": {}},
        "experiments": {
            "table": {
                "title": "Scaling",
                "dataset": "pdgmm",
                # Any setting that takes many values will do.
                "grid": {"samples.train": [1000 + number for number in range(datasets)]},
                "methods": list(METHODS),
                "seeds": list(range(SEEDS)),
            }
        },
    }


def snakemake(folder: Path, *arguments: str, interpreter: tuple[str, ...] = ()) -> list[str]:
    """The command that works on the study in ``folder``."""
    there = ["--directory", str(folder), "--configfile", str(folder / "study.yaml")]
    return [sys.executable, *interpreter, "-m", "snakemake", *arguments, *there]


def timed(command: list[str], folder: Path) -> tuple[float, float, str]:
    """Seconds, megabytes at the peak and output of a command."""
    output = folder / "output.txt"
    started = time.perf_counter()
    with output.open("w") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        raise RuntimeError(f"{' '.join(command)}\n{output.read_text()[-2000:]}")
    return seconds, usage.ru_maxrss / KILOBYTES_IN_A_MEGABYTE, output.read_text()


def row(runs: int, folder: Path) -> str:
    """One line of the table."""
    read, _, _ = timed(snakemake(folder, "--list-rules"), folder)
    whole, memory, output = timed(snakemake(folder, "-n", "--quiet", "rules"), folder)
    jobs = int(re.search(r"^total +(\d+)$", output, re.M)[1])
    return f"| {runs:,} | {jobs:,} | {read:.1f} | {whole:.1f} | {1000 * whole / jobs:.1f} | {memory:.0f} |"


def functions(folder: Path, most: int = 30) -> None:
    """Print the functions that take most of the dry run's time."""
    statistics = folder / "functions.prof"
    profiler = ("-m", "cProfile", "-o", str(statistics))
    timed(snakemake(folder, "-n", "--quiet", "rules", interpreter=profiler), folder)
    report = pstats.Stats(str(statistics))
    report.sort_stats("cumulative").print_stats(r"(pdgmm|\.smk|snakemake)", most)
    report.sort_stats("tottime").print_stats(most)


def main() -> None:
    """Measure the sizes asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", type=int, default=SIZES)
    parser.add_argument("--functions", action="store_true", help="print where the time goes")
    options = parser.parse_args()
    if not options.functions:
        print("| runs | jobs | read the workflow, s | whole dry run, s | per job, ms | memory, MB |")
        print("|---|---|---|---|---|---|")
    for runs in options.runs:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "study.yaml").write_text(yaml.safe_dump(study(runs)))
            if options.functions:
                functions(folder)
            else:
                print(row(runs, folder), flush=True)


if __name__ == "__main__":
    main()
