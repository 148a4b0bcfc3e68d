"""The cost of each case; every fit runs in its own process with one thread."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from speed_cases import Case

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.steps.generate import generate_dataset
from pdgmm.workflow_support.environment import thread_counts

TEST_SAMPLES = 10_000

SHORT, REPEATS = 10.0, 5
"""Fits that take less than ``SHORT`` seconds are run ``REPEATS`` times in all."""

Row = dict[str, Any]


def dataset(case: Case, folder: Path) -> Path:
    """The file of the case's data, drawn once."""
    path = folder / f"n{case.n}-{case.samples}.h5"
    if not path.exists():
        counts = {"train": case.samples, "test": TEST_SAMPLES, "unmasked": 2, "independent": 2}
        generate_dataset("pdgmm", MaskedScm(n=case.n, samples=counts).model_dump_json(), 0, path)
    return path


def measure(case: Case, folder: Path, yard: float) -> Row:
    """The row of a case in the table; ``yard`` is the yardstick."""
    if case.scaled_to is not None:
        cost, note = _scaled(case, folder)
    else:
        cost, note = _fitted(case, folder), case.note
    # The score of a training that was cut short is not worth showing.
    scores = {name: "" if case.scaled_to else round(cost[name], 4) for name in ("mcc", "r2")}
    return {
        "group": case.group,
        "method": case.method,
        "n": case.n,
        "samples": case.samples,
        "seconds": round(cost["seconds"], 4),
        "yardsticks": round(cost["seconds"] / yard, 1),
        **scores,
        "memory_mb": round(cost["memory_mb"], 1),
        "peak_memory_mb": round(cost["peak_memory_mb"], 1),
        "extrapolated": int(case.scaled_to is not None),
        "note": note,
    }


def _scaled(case: Case, folder: Path) -> tuple[dict[str, float], str]:
    few, more = case.measured_steps
    first, second = (_fitted(_with_steps(case, steps), folder) for steps in case.measured_steps)
    per_step = (second["seconds"] - first["seconds"]) / (more - few)
    seconds = first["seconds"] + per_step * (case.scaled_to - few)
    note = f"extrapolated, {more} to {case.scaled_to:,} steps"
    return second | {"seconds": seconds}, f"{note}, {case.note}" if case.note else note


def _with_steps(case: Case, steps: int) -> Case:
    return dataclasses.replace(case, settings=case.settings | {"steps": steps})


def _fitted(case: Case, folder: Path) -> dict[str, float]:
    """The cost of a fit; a short fit is repeated, since other work on the machine can double its time."""
    costs = [_fitted_once(case, folder)]
    if costs[0]["seconds"] < SHORT:
        costs += [_fitted_once(case, folder) for _ in range(REPEATS - 1)]
    return min(costs, key=lambda cost: cost["seconds"])


def _fitted_once(case: Case, folder: Path) -> dict[str, float]:
    request = dataclasses.asdict(case) | {"dataset": str(dataset(case, folder))}
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("measure_one.py"), json.dumps(request)],
        env=os.environ | thread_counts(1),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])
