"""Measure every case in one run and write ``results/benchmarks.{csv,md,svg}``."""

import argparse
import csv
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from cases import CASES, Case
from images import measure_images
from render import render_markdown, save_plot
from scaling.yardstick import ONE_THREAD, yardstick

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.steps.generate import generate_dataset
from pdgmm.store.atomic import write_text

TEST_SAMPLES = 10_000


def dataset(case: Case, folder: Path) -> Path:
    """The file of the case's data, drawn once."""
    path = folder / f"n{case.n}-{case.samples}.h5"
    if not path.exists():
        counts = {"train": case.samples, "test": TEST_SAMPLES, "unmasked": 2, "independent": 2}
        generate_dataset("pdgmm", MaskedScm(n=case.n, samples=counts).model_dump_json(), 0, path)
    return path


def measure(case: Case, folder: Path) -> dict[str, float]:
    """What the case cost, in a process of its own, with ``seconds`` for its full length."""
    if case.scaled_to is None:
        cost = _measured(case, folder)
        return cost | {"seconds": cost["seconds_stage1"] + cost["seconds_stage2"]}
    stage = "1" if case.group == "stage 1" else "2"
    costs = [
        _measured(dataclasses.replace(case, **{f"settings{stage}": {"steps": steps}}), folder)
        for steps in case.measured_steps
    ]
    first, second = (cost[f"seconds_stage{stage}"] for cost in costs)
    per_step = (second - first) / (case.measured_steps[1] - case.measured_steps[0])
    return costs[1] | {"seconds": first + per_step * (case.scaled_to - case.measured_steps[0])}


def _measured(case: Case, folder: Path) -> dict[str, float]:
    request = dataclasses.asdict(case) | {"dataset": str(dataset(case, folder))}
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("measure_one.py"), json.dumps(request)],
        env=os.environ | ONE_THREAD,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def row(case: Case, cost: dict[str, float], yard: float) -> dict[str, object]:
    """A line of the table."""
    seconds = cost["seconds"]
    return {
        "group": case.group,
        "method": f"{case.stage1}+{case.stage2}",
        "n": case.n,
        "samples": case.samples,
        "seconds": round(seconds, 4),
        "yardsticks": round(seconds / yard, 1),
        "extrapolated": f"{case.measured_steps[1]} to {case.scaled_to:,} steps" if case.scaled_to else "",
        # A recipe cut short has no score worth showing.
        "mcc": "" if case.scaled_to else round(cost["mcc"], 4),
        "r2": "" if case.scaled_to else round(cost["r2"], 4),
        "memory_mb": round(cost["memory_mb"], 1),
        "peak_memory_mb": round(cost["peak_memory_mb"], 1),
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--out", type=Path, default=Path("results/benchmarks"), help="path without ending")
    parser.add_argument("--group", help="measure this group only, for example affine")
    options = parser.parse_args()
    cases = [case for case in CASES if not (options.quick and case.minutes)]
    cases = [case for case in cases if options.group in (None, case.group)]
    yard = yardstick()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases, start=1):
            started = time.monotonic()
            rows.append(row(case, measure(case, Path(folder)), yard))
            took = time.monotonic() - started
            name = f"{case.stage1}+{case.stage2}, n={case.n}, {case.samples:,} samples"
            print(
                f"[{number}/{len(cases)}] {name}: {rows[-1]['seconds']:.4g} s (in all {took:.0f} s)",
                flush=True,
            )
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    section, table = measure_images()
    write_text(options.out.with_suffix(".md"), render_markdown(rows, yard) + "\n" + section)
    write_text(options.out.with_name(f"{options.out.name}_images.csv"), table)
    save_plot(rows, options.out.with_suffix(".svg"))
    print(f"wrote {options.out}.csv, .md and .svg; yardstick {yard:.4f} s, NumPy {np.__version__}")


main()
