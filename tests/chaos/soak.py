"""A soak: a study many times in a row in one process, whose memory and open files must stay flat."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml
from counts import Case
from workflow_project import ROOT, TINY

from pdgmm.workflow_support.environment import thread_counts

MEGABYTE = 2**20
MOST_GROWTH = 32 * MEGABYTE
"""What memory may differ between the first and the last third: allocators breathe, leaks add up."""

FEWEST_ROUNDS = 4
"""Rounds from which on growth can be told."""

STUDIES = ("tiny", "default")


def soak_name(study: str) -> str:
    """How the page names the soak of a study."""
    return f"soak: the {study} study again and again"


def soak(study: str, rounds: int, folder: Path, say: Callable[[str], None]) -> Case:
    """``rounds`` rounds of the tiny study, or of the default one, in a process of their own."""
    config = ROOT / "config" / "config.yaml"
    if study != "default":
        config = folder / "soak.yaml"
        config.write_text(yaml.safe_dump(TINY))
    program = Path(__file__).with_name("soak_process.py")
    command = [sys.executable, str(program), str(config), str(folder / "soak"), str(rounds)]
    measured, began = [], time.monotonic()
    with (folder / "soak.log").open("w") as log:
        process = subprocess.Popen(
            command, env=os.environ | thread_counts(1), stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            for line in process.stdout:
                measured.append(one := json.loads(line))
                say(
                    f"{soak_name(study)}: {len(measured)} of {rounds}, {one['seconds']:.0f} s, "
                    f"{one['memory'] / MEGABYTE:.0f} MB, {one['files']} open files"
                )
            process.wait()
        finally:
            process.kill()
            process.wait()
    return judged(study, rounds, process.returncode, measured, time.monotonic() - began)


def judged(study: str, rounds: int, code: int, measured: list[dict], seconds: float) -> Case:
    """The case that the rounds make; ``code`` is how their process ended."""
    memory, files = ([one[what] for one in measured] for what in ("memory", "files"))
    different = sum(one["scores"] != measured[0]["scores"] for one in measured)
    enough = len(measured) >= FEWEST_ROUNDS
    problems = {
        f"it ended with {code} after {len(measured)} of {rounds} rounds": code or len(measured) < rounds,
        "memory grew": enough and growth(memory) > MOST_GROWTH,
        "open files grew": enough and growth(files) > 0,
        "scores differ between rounds": different,
    }
    notes = [words for words, wrong in problems.items() if wrong]
    failures = len(notes)
    if study == "default":
        notes.append("experiments on images are left out")
    if enough:
        notes.append(
            f"{statistics.median(one['seconds'] for one in measured):.0f} s a round (median); memory "
            f"{memory[1] / MEGABYTE:.0f} MB in round 2, {memory[-1] / MEGABYTE:.0f} MB at the end; open files "
            f"{files[1]} and {files[-1]}"
        )
    return Case(soak_name(study), len(measured), failures, different, seconds, "; ".join(notes))


def growth(values: list[int]) -> float:
    """The median of the last third less that of the first, of which the very first round is left out."""
    third = max(1, (len(values) - 1) // 3)
    return statistics.median_high(values[-third:]) - statistics.median_high(values[1 : 1 + third])
