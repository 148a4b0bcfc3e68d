"""What a case costs, each fit in a process of its own with one thread."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from scaling.yardstick import ONE_THREAD
from speed_cases import Case

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.steps.generate import generate_dataset

TEST_SAMPLES = 10_000

SHORT, REPEATS = 10.0, 5
"""A fit of fewer seconds is repeated, so many times in all."""

Row = dict[str, Any]


def dataset(case: Case, folder: Path) -> Path:
    """The file of the case's data, drawn once."""
    path = folder / f"n{case.n}-{case.samples}.h5"
    if not path.exists():
        counts = {"train": case.samples, "test": TEST_SAMPLES, "unmasked": 2, "independent": 2}
        generate_dataset("pdgmm", MaskedScm(n=case.n, samples=counts).model_dump_json(), 0, path)
    return path


def measure(case: Case, folder: Path, before: list[Row], yard: float) -> Row:
    """A row of the table: what the case cost. ``before`` are the rows measured before it, ``yard`` the yardstick."""
    if case.scaled_to is not None:
        cost, note = _scaled(case, folder)
    elif case.doubled_steps is not None:
        cost, note = _doubled(case, folder, _aim(case, before))
    else:
        cost, note = _fitted(case, folder), ""
    seconds = _seconds(cost)
    # A recipe cut short has no score worth showing.
    scores = {name: "" if case.scaled_to else round(cost[name], 4) for name in ("mcc", "r2")}
    return {
        "group": case.group,
        "method": case.method,
        "n": case.n,
        "samples": case.samples,
        "seconds": round(seconds, 4),
        "yardsticks": round(seconds / yard, 1),
        **scores,
        "memory_mb": round(cost["memory_mb"], 1),
        "peak_memory_mb": round(cost["peak_memory_mb"], 1),
        "extrapolated": int(case.scaled_to is not None),
        "note": note,
    }


def _scaled(case: Case, folder: Path) -> tuple[dict[str, float], str]:
    stage = "1" if case.group == "stage 1" else "2"
    costs = [_fitted(_with_steps(case, stage, steps), folder) for steps in case.measured_steps]
    first, second = (cost[f"seconds_stage{stage}"] for cost in costs)
    per_step = (second - first) / (case.measured_steps[1] - case.measured_steps[0])
    seconds = first + per_step * (case.scaled_to - case.measured_steps[0])
    none = {"seconds_stage1": 0.0, "seconds_stage2": 0.0}
    return (
        costs[1] | none | {f"seconds_stage{stage}": seconds},
        f"extrapolated, {case.measured_steps[1]} to {case.scaled_to:,} steps",
    )


def _doubled(case: Case, folder: Path, aim: float) -> tuple[dict[str, float], str]:
    """The first length that reaches ``aim``, or else the best one: longer need not be better."""
    steps, most = case.doubled_steps
    tried: dict[int, dict[str, float]] = {}
    while steps <= most:
        tried[steps] = _fitted(_with_steps(case, "2", steps), folder)
        if tried[steps]["mcc"] >= aim:
            return tried[steps], f"reduced size, {steps:,} steps reach the MCC of spike_slab"
        steps *= 2
    best = max(tried, key=lambda length: tried[length]["mcc"])
    lengths = ", ".join(f"{length:,}" for length in tried)
    return tried[best], (
        f"reduced size, {best:,} steps, the best of {lengths}: none reaches the MCC of spike_slab ({aim:.3f})"
    )


def _aim(case: Case, before: list[Row]) -> float:
    """The MCC of ``spike_slab`` on the data of the case."""
    same = (case.stage1 + "+spike_slab", case.n, case.samples)
    return next(row["mcc"] for row in before if (row["method"], row["n"], row["samples"]) == same)


def _with_steps(case: Case, stage: str, steps: int) -> Case:
    settings = getattr(case, f"settings{stage}")
    return dataclasses.replace(case, **{f"settings{stage}": settings | {"steps": steps}})


def _fitted(case: Case, folder: Path) -> dict[str, float]:
    """What the fit cost; of a short one, which the machine's other work can double, the fastest of several."""
    costs = [_fitted_once(case, folder)]
    if _seconds(costs[0]) < SHORT:
        costs += [_fitted_once(case, folder) for _ in range(REPEATS - 1)]
    return min(costs, key=_seconds)


def _seconds(cost: dict[str, float]) -> float:
    return cost["seconds_stage1"] + cost["seconds_stage2"]


def _fitted_once(case: Case, folder: Path) -> dict[str, float]:
    request = dataclasses.asdict(case) | {"dataset": str(dataset(case, folder))}
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("measure_one.py"), json.dumps(request)],
        env=os.environ | ONE_THREAD,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])
