"""The start-up time of jobs: every step on very little data, in fresh processes."""

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from step_calls import PLAN, step_calls
from timed_process import timed

REPEATS = 3
HERE = Path(__file__).parent
LIBRARIES = [
    "numpy",
    "scipy",
    "pydantic",
    "pandas",
    "sklearn",
    "matplotlib",
    "causallearn",
    "pygame",
    "torch",
]

OUR_ADAM, TORCHS_ADAM = "our Adam, one step", "`torch.optim.Adam`, one step"
FIRST_STEP = """
import torch
weights = [torch.nn.Parameter(torch.ones(9, 9))]
{make}
(weights[0] ** 2).sum().backward()
optimiser.step()
"""
PROGRAMS = {
    "Python alone": "pass",
    "`import torch` alone": "import torch",
    OUR_ADAM: FIRST_STEP.format(
        make="from pdgmm.fitting.optimisers import Adam; optimiser = Adam(weights, 1e-3)"
    ),
    TORCHS_ADAM: FIRST_STEP.format(make="optimiser = torch.optim.Adam(weights, lr=1e-3, fused=True)"),
}
"""The least time of any step, without and with torch, and what the first step of a training adds."""

CALL = f"""
import json, sys
from pathlib import Path
from pdgmm.cli.main import cli

file, *arguments = sys.argv[1:]
cli.main(["step", *arguments], prog_name="pdgmm", standalone_mode=False)
Path(file).write_text(json.dumps([name for name in {LIBRARIES} if name in sys.modules]))
"""


@dataclass(frozen=True)
class StartUp:
    """A command on very little data: medians over fresh processes, and the large libraries that it imported."""

    command: str
    seconds: float
    memory_mb: float
    libraries: tuple[str, ...] = ()
    needs_torch: bool = False


def measure_start_up() -> Iterator[StartUp]:
    """Every step's call; the median of its repeats."""
    for what, code in PROGRAMS.items():
        yield StartUp(what, *_medians([sys.executable, "-c", code]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        libraries = folder / "libraries.json"
        # In a separate process: the memory of what planning imports would be added to every step, see `timed`.
        code = "import json, step_calls; print(json.dumps(step_calls.table_plan()))"
        plan = timed([sys.executable, "-c", code], cwd=HERE).output
        (folder / PLAN).write_text(plan)
        for call in step_calls(folder, json.loads(plan)):
            costs = _medians([sys.executable, "-c", CALL, str(libraries), *call.arguments])
            imported = tuple(json.loads(libraries.read_text()))
            yield StartUp(f"`{call.command}`", *costs, imported, call.needs_torch)


def _medians(command: list[str]) -> tuple[float, float]:
    """Seconds and megabytes."""
    done = [timed(command) for _ in range(REPEATS)]
    return statistics.median(one.seconds for one in done), statistics.median(one.memory_mb for one in done)
