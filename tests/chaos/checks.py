"""Failures that tests cause, counted."""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

from counts import Case
from workflow_project import ROOT

LONGEST_SECONDS = 3600
"""What a check may take, a thousand random examples included."""

BAD_INPUT = "tests/workflow/test_bad_input.py"
FUZZED = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("tests/unit/**/test_fuzzed_*.py"))]
CONFIGS = [file for file in FUZZED if "config" in Path(file).name]
CHECKS = {
    "two runs in one folder": ["tests/workflow/test_two_runs.py"],
    "a full disk, a read-only disk": [
        "tests/chaos/test_full_disk.py",
        f"{BAD_INPUT}::test_a_full_disk_is_named_and_the_run_goes_on_when_there_is_room",
    ],
    "cut, changed and foreign files": [
        "tests/chaos/test_damaged_files.py",
        f"{BAD_INPUT}::test_a_damaged_dataset_is_named_with_the_command_that_repairs_it",
    ],
    "losses that are not finite": [
        "tests/workflow/test_failed_fits.py::test_a_diverged_part_is_recorded_and_tabulated"
    ],
    "a worker out of memory": ["tests/chaos/test_out_of_memory.py"],
    "a clock that jumps": ["tests/chaos/test_clock.py"],
    "configs drawn at random": CONFIGS,
    "files damaged at random, code in files": [
        *(file for file in FUZZED if file not in CONFIGS),
        "tests/unit/store/test_foreign_code.py",
    ],
}


def run_check(name: str, examples: int) -> Case:
    """Run the tests of a check, ``examples`` random ones where they draw; an error where they cannot be run."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-m", "", f"--junitxml={report}", *CHECKS[name]]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | {"PDGMM_FUZZ_EXAMPLES": str(examples)},
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_SECONDS,
        )
        # 0: all passed, 1: some failed; the report counts those.
        if done.returncode not in (0, 1):
            raise RuntimeError(f"pytest ended with {done.returncode}: {(done.stdout + done.stderr)[-300:]}")
        return counted(name, ET.parse(report), time.monotonic() - began)


def counted(name: str, report: ET.ElementTree, seconds: float) -> Case:
    """The sum over the tests in a JUnit report; a test says how much it tried and lost by its properties."""
    tried = failures = 0
    lost, notes = [], []
    for test in report.iter("testcase"):
        properties = {item.get("name"): int(item.get("value")) for item in test.iter("property")}
        if (skipped := test.find("skipped")) is not None:
            notes.append(f"left out: {test.get('name')} ({skipped.get('message')})")
            continue
        tried += properties.get("tried", 1)
        lost += [properties["data_lost"]] if "data_lost" in properties else []
        if test.find("failure") is not None or test.find("error") is not None:
            failures += 1
            notes.append(f"failed: {test.get('name')}")
    return Case(name, tried, failures, sum(lost) if lost else None, seconds, "; ".join(notes))
