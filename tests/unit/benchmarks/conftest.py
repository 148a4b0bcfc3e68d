"""The scripts of the benchmarks are modules beside each other, as when they are run."""

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
sys.path[:0] = [str(BENCHMARKS / "scaling"), str(BENCHMARKS)]
# Last: modules of the other benchmarks have the names of some of these.
sys.path.append(str(BENCHMARKS / "household"))
