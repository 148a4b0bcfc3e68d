"""The suite kills what it says it kills."""

import os
import random
import signal
import subprocess
import sys

import pytest
from kills import _end, _group_lives, _kill
from undisturbed import SNAKEMAKE, Undisturbed, running_steps

LIVES = Undisturbed({}, {SNAKEMAKE: 2.0, "generate": 2.0, "train-stage1": 2.0, "train-stage2": 2.0})


@pytest.fixture
def run():
    """A shell that waits for a step and then ends with 3; the step's name stands in its command line."""

    def start(step, seconds):
        program = f"import time; time.sleep({seconds})"
        command = f"{sys.executable} -c '{program}' pdgmm step {step}; exit 3"
        processes.append(subprocess.Popen(["bash", "-c", command], start_new_session=True))
        return processes[-1]

    processes = []
    yield start
    for process in processes:
        _end(process)


def test_a_step_is_found_and_killed_alone(run):
    process = run("generate", 60)
    assert _kill(process, ("generate",), LIVES, random.Random(0)).startswith("generate after ")
    assert process.wait() == 3, "who started the step goes on"
    assert not _group_lives(process.pid)


def test_a_kill_of_the_run_leaves_its_steps_alive(run):
    process = run("train-stage1", 60)
    assert _kill(process, (SNAKEMAKE,), LIVES, random.Random(0)).startswith("after ")
    assert process.wait() == -signal.SIGKILL
    assert _group_lives(process.pid)
    os.killpg(process.pid, signal.SIGKILL)


def test_a_moment_that_comes_too_late_is_no_kill(run):
    late = random.Random(0)
    late.uniform = lambda low, high: high
    assert _kill(run("generate", 0.3), ("generate",), LIVES, late) == ""
    assert _kill(run("generate", 0.3), (SNAKEMAKE,), LIVES, late) == ""


def test_other_steps_are_left_alone(run):
    process = run("score", 0.5)
    assert running_steps(process) == {}
    assert _kill(process, ("train-stage1", "train-stage2"), LIVES, random.Random(0)) == ""
    assert process.wait() == 3
