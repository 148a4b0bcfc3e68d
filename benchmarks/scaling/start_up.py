"""What a job costs before it does anything: every step on next to no data, in fresh processes."""

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from figures import StartUp
from step_calls import step_calls
from timed_process import timed

REPEATS = 3
HERE = Path(__file__).parent
BARE = {"Python alone": "pass", "`import torch` alone": "import torch"}
"""What no step can be faster than, without torch and with it."""


def measure_start_up() -> Iterator[StartUp]:
    """Every step's call; the median of its repeats."""
    for what, code in BARE.items():
        yield StartUp(what, *_medians([sys.executable, "-c", code]), (), needs_torch=False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        libraries = folder / "libraries.json"
        # In a process of its own: planning imports what would be charged to every step, see `timed`.
        code = "import json, step_calls; print(json.dumps(step_calls.dataset_and_request()))"
        planned = json.loads(timed([sys.executable, "-c", code], cwd=HERE).output)
        for call in step_calls(folder, *planned):
            command = [sys.executable, str(HERE / "call_step.py"), str(libraries), "step", *call.arguments]
            if call.preparation:
                timed(command)
                continue
            costs = _medians(command)
            imported = tuple(json.loads(libraries.read_text()))
            yield StartUp(f"`{call.command}`", *costs, imported, call.needs_torch)


def _medians(command: list[str]) -> tuple[float, float]:
    """Seconds and megabytes."""
    done = [timed(command) for _ in range(REPEATS)]
    return statistics.median(one.seconds for one in done), statistics.median(one.memory_mb for one in done)
