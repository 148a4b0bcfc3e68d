"""A command in a separate process: its time, its memory, its output."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
UNITS_IN_A_MEGABYTE = 1024**2 if sys.platform == "darwin" else 1024
"""``getrusage`` counts memory in bytes on macOS and in kilobytes elsewhere."""


class Timed(NamedTuple):
    """Seconds by the clock, megabytes at the peak, and both output streams of a finished command."""

    seconds: float
    memory_mb: float
    output: str


def timed(command: list[str], cwd: Path = ROOT, **environment: str) -> Timed:
    """Run ``command``; if it fails, raise an error with the end of its output.

    The peak memory of a process is at least that of the one that starts it, so callers must not import anything
    large.
    """
    with tempfile.TemporaryFile("w+") as out:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        output = out.read()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}\nended with {process.returncode}\n{output[-2000:]}")
    return Timed(seconds, usage.ru_maxrss / UNITS_IN_A_MEGABYTE, output)
