"""Where a dry run spends its time: ``python benchmarks/scaling/planning_functions.py 1000``."""

import argparse
import pstats

from planning import folder_with, snakemake, study
from timed_process import timed

MOST = 30
"""Functions in each list."""


def main() -> None:
    """Print the functions that take most of the dry run's time, with and without those they call."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="?", type=int, default=1_000, help="size of the study (1000)")
    runs = parser.parse_args().runs
    with folder_with(study(runs)) as (folder, config):
        statistics = folder / "functions.prof"
        profiler = ("-m", "cProfile", "-o", str(statistics))
        timed(snakemake(folder, config, "-n", "--quiet", "rules", interpreter=profiler))
        report = pstats.Stats(str(statistics))
    report.sort_stats("cumulative").print_stats(r"(pdgmm|\.smk|snakemake)", MOST)
    report.sort_stats("tottime").print_stats(MOST)


if __name__ == "__main__":
    main()
