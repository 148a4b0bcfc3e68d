"""What the scaling benchmark measures is what it says."""

import sys
from pathlib import Path

import pytest
from batched_seeds import SEEDS, measure
from figures import Batching
from planning import PAPER, TABLES, measure_config, study
from step_calls import dataset_and_request, step_calls
from timed_process import Timed, timed

from pdgmm.cli.step_commands import step
from pdgmm.methods.flow.flow import Flow
from pdgmm.study.planning import plan_study


@pytest.mark.parametrize("runs", [100, 1_000])
def test_a_study_has_as_many_runs_as_asked_for(runs):
    assert len(plan_study(study(runs)).runs()) == runs
    assert len(plan_study(study(runs, TABLES)).runs()) == runs


def test_the_papers_grid_is_planned_with_its_images(monkeypatch):
    commands = []

    def planned(command):
        commands.append(command)
        return Timed(3.5, 100.0, "job count\ntotal  12\n")

    monkeypatch.setattr("planning.timed", planned)
    assert measure_config(PAPER).jobs == 12
    # Before options that take several values: those would swallow them.
    assert commands[0][2:5] == ["snakemake", "all", "balls"]


def test_every_step_of_the_workflow_is_called():
    calls = step_calls(Path("folder"), *dataset_and_request())
    assert {call.step for call in calls} == set(step.commands)


def test_a_whole_fit_and_its_steps_are_measured():
    settings = Flow(steps=4, blocks=2, heat=0)
    measured = Batching(**measure(4, settings, 2_000, steps=4))
    # With few latents the better of two trainings is kept.
    assert measured.steps == 8
    assert 0 < measured.batched_share < 1
    assert set(measured.step_seconds) == set(SEEDS)


def test_time_memory_and_output_are_those_of_the_command():
    code = "import time; block = bytearray(b'x') * 60_000_000; time.sleep(0.2); print('done')"
    small, large = timed([sys.executable, "-c", "print(1)"]), timed([sys.executable, "-c", code])
    assert large.output == "done\n"
    assert large.seconds > 0.2
    # A process is charged at least what the one that started it holds, which for a test may be more than the block.
    assert large.memory_mb >= max(60, small.memory_mb)


def test_a_command_that_fails_is_an_error_with_its_words():
    with pytest.raises(RuntimeError, match="ended with 1\nno such study"):
        timed([sys.executable, "-c", "import sys; sys.exit('no such study')"])
