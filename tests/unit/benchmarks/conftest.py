"""The scripts of the benchmarks are modules beside each other, as when they are run."""

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
sys.path[:0] = [str(BENCHMARKS / "scaling"), str(BENCHMARKS)]
