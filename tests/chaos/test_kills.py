"""The suite kills what it says it kills."""

import os
import random
import shlex
import signal
import subprocess
import sys
import time

import pytest
from kills import _group_lives, _hangs, _kill
from undisturbed import SNAKEMAKE, WRITING, Undisturbed, end, running_steps

LIVES = Undisturbed({}, {SNAKEMAKE: 2.0, WRITING: 1.0, "train-stage1": 2.0, "train-stage2": 2.0})
SLOW = Undisturbed({}, {SNAKEMAKE: 60.0, WRITING: 5.0})
"""Lives so long that a victim has ended, or written, before the moment comes, on a busy machine too."""
WRITES = """
import sys, time
from pathlib import Path

time.sleep(1)
part = Path(sys.argv[1]) / "datasets/a/.seed-0.h5.1.part"
part.parent.mkdir(parents=True)
part.touch()
time.sleep({seconds})
part.unlink()
time.sleep(60)
"""


@pytest.fixture
def run(tmp_path):
    """A shell that waits for a step and then ends with 3; the step's name stands in its command line."""

    def start(step, seconds, program="import time; time.sleep({seconds})"):
        code = shlex.quote(program.format(seconds=seconds))
        command = f"{sys.executable} -c {code} {tmp_path} pdgmm step {step}; exit 3"
        processes.append(subprocess.Popen(["bash", "-c", command], start_new_session=True))
        return processes[-1]

    processes = []
    yield start
    for process in processes:
        end(process)


def test_a_step_is_found_and_killed_alone(run, tmp_path):
    process = run("train-stage1", 60)
    first = random.Random(0)
    first.randrange = lambda trainings: 0
    hit = _kill(process, ("train-stage1", "train-stage2"), LIVES, first, tmp_path)
    assert hit.startswith("train-stage1 after ")
    assert process.wait() == 3, "who started the step goes on"
    assert not _group_lives(process.pid)


def test_a_writer_is_killed_while_it_writes(run, tmp_path):
    process = run("generate", 60, WRITES)
    began = time.monotonic()
    assert _kill(process, ("generate",), LIVES, random.Random(0), tmp_path).endswith(" s of writing")
    assert time.monotonic() - began > 1, "not before it began to write"
    assert list(tmp_path.glob("datasets/a/.*.part"))
    assert process.wait() == 3


def test_a_writer_that_has_written_but_not_ended_is_hit_too(run, tmp_path):
    late = random.Random(0)
    late.uniform = lambda low, high: high
    hit = _kill(run("generate", 2, WRITES), ("generate",), SLOW, late, tmp_path)
    assert hit.endswith("its file being whole")


def test_a_run_that_hangs_is_noticed(run):
    assert _hangs(run("score", 60), 0.2)
    assert not _hangs(run("score", 0.1), 20)


def test_a_kill_of_the_run_leaves_its_steps_alive(run, tmp_path):
    process = run("train-stage1", 60)
    assert _kill(process, (SNAKEMAKE,), LIVES, random.Random(0), tmp_path).startswith("after ")
    assert process.wait() == -signal.SIGKILL
    assert _group_lives(process.pid)
    os.killpg(process.pid, signal.SIGKILL)


def test_a_moment_that_comes_too_late_is_no_kill(run, tmp_path):
    late = random.Random(0)
    late.uniform = lambda low, high: high
    assert _kill(run("generate", 0.3), ("generate",), SLOW, late, tmp_path) == ""
    assert _kill(run("generate", 0.3), (SNAKEMAKE,), SLOW, late, tmp_path) == ""


def test_other_steps_are_left_alone(run, tmp_path):
    process = run("score", 0.5)
    assert running_steps(process) == {}
    assert _kill(process, ("train-stage1", "train-stage2"), LIVES, random.Random(0), tmp_path) == ""
    assert process.wait() == 3
