"""A soak: a study many times in one process, whose memory and open files must stay flat."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml
from case import Case
from workflow_project import ROOT, TINY

MEGABYTE = 2**20
MOST_GROWTH = 32 * MEGABYTE
"""What memory may differ between the first and the last third: allocators breathe, leaks add up."""


def soak(rounds: int, default_study: bool, folder: Path, say: Callable[[str], None]) -> Case:
    """``rounds`` rounds of the tiny study, or of the default one."""
    name = f"soak: the {'default' if default_study else 'tiny'} study in one process"
    began = time.monotonic()
    config = folder / "soak.yaml"
    config.write_text(yaml.safe_dump(TINY))
    study = ROOT / "config" / "config.yaml" if default_study else config
    script = Path(__file__).with_name("soak_process.py")
    measured = []
    with (folder / "soak.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, str(script), str(study), str(rounds), str(folder / "soak")],
            env=os.environ | {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        for line in process.stdout:
            measured.append(json.loads(line))
            memory, files = measured[-1]["memory"] / MEGABYTE, measured[-1]["files"]
            say(f"{name} {len(measured)} of {rounds}: {memory:.0f} MB, {files} open files")
        process.wait()
    problems = list(_problems(measured, rounds, process.returncode))
    note = "; ".join(problems) or _in_words(measured)
    different = sum(one["scores"] != measured[0]["scores"] for one in measured)
    return Case(name, len(measured), len(problems), different, time.monotonic() - began, note)


def growth(values: list[int]) -> float:
    """The median of the last third less that of the first, of which the very first round is left out."""
    third = max(1, (len(values) - 1) // 3)
    first, last = sorted(values[1 : 1 + third]), sorted(values[-third:])
    return last[len(last) // 2] - first[len(first) // 2]


def _problems(measured: list[dict], rounds: int, code: int):
    if code or len(measured) < rounds:
        yield f"it ended with {code} after {len(measured)} of {rounds} rounds"
    if len(measured) < 4:
        return
    if growth([one["memory"] for one in measured]) > MOST_GROWTH:
        yield f"memory grew: {_in_words(measured)}"
    if growth([one["files"] for one in measured]) > 0:
        yield f"open files grew: {_in_words(measured)}"
    if len({one["scores"] for one in measured}) > 1:
        yield "scores differ between rounds"


def _in_words(measured: list[dict]) -> str:
    if len(measured) < 2:
        return ""
    first, last = measured[1], measured[-1]
    return (
        f"memory {first['memory'] / MEGABYTE:.0f} MB in round 2, {last['memory'] / MEGABYTE:.0f} MB at the end; "
        f"open files {first['files']} and {last['files']}"
    )
