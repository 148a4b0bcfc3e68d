"""The scripts of the scaling benchmark are modules beside each other, as when they are run."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "scaling"))
