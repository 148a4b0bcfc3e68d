"""How fast the machine is, and how many cores are usable."""

import os
import subprocess
import sys

from pdgmm.workflow_support.environment import thread_counts

SIZE = 1500
"""Rows and columns of the matrices of the yardstick."""


def yardstick() -> float:
    """Seconds of the product of two square float32 matrices of ``SIZE`` on one thread, the best of nine."""
    code = (
        f"import time, numpy as np; a = np.random.default_rng(0).random(({SIZE}, {SIZE}), np.float32); t = []\n"
        "for _ in range(9):\n    s = time.perf_counter(); a @ a; t.append(time.perf_counter() - s)\n"
        "print(min(t))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | thread_counts(1),
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def usable_cores() -> int:
    """The cores that this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
