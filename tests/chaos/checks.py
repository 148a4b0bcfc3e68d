"""Failures that tests cause, counted."""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

from case import Case
from workflow_project import ROOT

LONGEST_SECONDS = 3600
"""What a check may take, a thousand random examples included."""

BAD_INPUT = "tests/workflow/test_bad_input.py"
CHECKS = {
    "two runs in one folder": ["tests/workflow/test_two_runs.py"],
    "a full disk": [
        "tests/chaos/test_full_disk.py",
        "tests/chaos/test_full_project_disk.py",
        f"{BAD_INPUT}::test_a_full_disk_is_named_and_the_run_goes_on_when_there_is_room",
    ],
    "cut, changed and foreign files": [
        "tests/chaos/test_damaged_files.py",
        f"{BAD_INPUT}::test_a_damaged_dataset_is_named_with_the_command_that_repairs_it",
    ],
    "losses that are not finite": [
        "tests/workflow/test_failed_fits.py::test_a_diverged_stage_is_recorded_and_tabulated"
    ],
    "a worker out of memory": ["tests/chaos/test_out_of_memory.py"],
    "a read-only folder": ["tests/chaos/test_read_only_folder.py"],
    "a clock that jumps": ["tests/chaos/test_clock.py"],
    "configs drawn at random": ["tests/unit/config_files"],
    "files damaged at random, code in files": [
        "tests/unit/store/test_fuzzed_datasets.py",
        "tests/unit/store/test_fuzzed_models.py",
        "tests/unit/analysis/fitting/test_saved_estimator.py",
        "tests/unit/analysis/fitting/test_fuzzed_analyses.py",
        "tests/unit/analysis/reading/test_damaged_files_of_users.py",
        "tests/unit/store/test_foreign_code.py",
    ],
}


def run_check(name: str, examples: int) -> Case:
    """Run the tests of a check; ``examples`` random ones where they draw."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *CHECKS[name]]
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=os.environ | {"PDGMM_FUZZ_EXAMPLES": str(examples)},
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST_SECONDS,
            )
        except subprocess.TimeoutExpired:
            note = f"pytest hangs: it did not end in {LONGEST_SECONDS} s"
            return Case(name, 0, 1, None, time.monotonic() - began, note)
        # 0: all passed, 1: some failed; the report counts those. Anything else is no run of the tests.
        if done.returncode not in (0, 1) or not report.exists():
            note = f"pytest ended with {done.returncode}: {(done.stdout + done.stderr)[-300:]}"
            return Case(name, 0, 1, None, time.monotonic() - began, note)
        return counted(name, ET.parse(report), time.monotonic() - began)


def counted(name: str, report: ET.ElementTree, seconds: float) -> Case:
    """The sum over the tests in a JUnit report; a test says how much it tried and lost by its properties."""
    tried = failures = hung = 0
    lost, notes = [], []
    for test in report.iter("testcase"):
        properties = {item.get("name"): int(item.get("value")) for item in test.iter("property")}
        skipped = test.find("skipped")
        if skipped is not None:
            notes.append(f"left out: {test.get('name')} ({skipped.get('message')})")
            continue
        tried += properties.get("tried", 1)
        hung += properties.get("hung", 0)
        lost += [properties["data_lost"]] if "data_lost" in properties else []
        if test.find("failure") is not None or test.find("error") is not None:
            failures += 1
            notes.append(f"failed: {test.get('name')}")
    notes += [f"{hung} steps waited for ever and had to be ended"] if hung else []
    return Case(name, tried, failures, sum(lost) if lost else None, seconds, "; ".join(notes))
