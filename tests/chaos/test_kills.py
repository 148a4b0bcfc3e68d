"""The suite kills what it says it kills."""

import random
import shlex
import subprocess
import sys

import pytest
from kills import SNAKEMAKE, TRAININGS, WRITER, end, group_lives, kill

SLEEPS = "import time; time.sleep({seconds})"
WRITES = """
import sys, time
from pathlib import Path

part = Path(sys.argv[1]) / "datasets/a/.seed-0.h5.1.part"
part.parent.mkdir(parents=True)
part.touch()
time.sleep({seconds})
"""


@pytest.fixture
def run(tmp_path):
    """A shell that waits for a step and then ends with 3; the step's name is in its command line."""

    def start(step, seconds, program=SLEEPS):
        code = shlex.quote(program.format(seconds=seconds))
        command = f"{sys.executable} -c {code} {tmp_path} pdgmm step {step}; exit 3"
        processes.append(subprocess.Popen(["bash", "-c", command], start_new_session=True))
        return processes[-1]

    processes = []
    yield start
    for process in processes:
        end(process)


@pytest.fixture
def rng():
    """Early moments of the first training."""
    first = random.Random(0)
    first.uniform = lambda low, high: 0.3
    first.randrange = lambda fits: 0
    return first


@pytest.mark.parametrize(
    ("step", "victim", "program", "code"),
    [
        ("train-stage1", TRAININGS, SLEEPS, 3),
        ("generate", WRITER, WRITES, 3),
        ("train-stage1", SNAKEMAKE, SLEEPS, -9),
    ],
)
def test_the_victim_is_found_and_killed_alone(run, rng, tmp_path, step, victim, program, code):
    process = run(step, 60, program)
    assert kill(process, victim, rng, tmp_path)
    assert process.wait() == code
    assert group_lives(process.pid) == (victim == SNAKEMAKE), "steps outlive their Snakemake"


@pytest.mark.parametrize(("step", "victim"), [("generate", WRITER), ("x", SNAKEMAKE), ("x", TRAININGS)])
def test_a_moment_that_comes_too_late_and_another_step_are_no_kill(run, rng, tmp_path, step, victim):
    rng.uniform = lambda low, high: 2.0
    process = run(step, 0.1)
    assert kill(process, victim, rng, tmp_path) == ""
    assert process.wait() == 3
