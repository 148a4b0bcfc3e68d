"""What the scaling benchmark measures is what it says."""

import sys
from pathlib import Path

import pytest
from planning import TABLES, study
from scheduling import DEFAULT, EXPERIMENT, measure_small, small_study
from step_calls import step_calls, table_plan
from timed_process import ROOT, timed

from pdgmm.cli.step_commands import step
from pdgmm.study.config import read_config
from pdgmm.study.planning import plan_study


@pytest.mark.parametrize("runs", [100, 1_000])
def test_a_study_has_as_many_runs_as_asked_for(runs):
    for config in (study(runs), study(runs, TABLES), small_study(runs)):
        assert len(plan_study(config).runs()) == runs


def test_the_real_experiment_is_one_of_the_default_study():
    assert EXPERIMENT in plan_study(read_config([ROOT / DEFAULT])).experiments


def test_every_step_of_the_workflow_is_called():
    calls = step_calls(Path("folder"), table_plan())
    assert {call.step for call in calls} == set(step.commands)


@pytest.mark.slow
def test_the_time_of_a_run_is_that_of_its_parts():
    measured = measure_small(1)
    # A dataset, a fit, its code, its scores, a table, a summary and a picture.
    assert measured.jobs == 7
    assert 0 <= measured.in_fits < measured.in_jobs < measured.whole
    assert measured.planning > 0
    assert measured.between_jobs > 0


def test_time_memory_and_output_are_those_of_the_command():
    code = "import time; block = bytearray(b'x') * 60_000_000; time.sleep(0.2); print('done')"
    small, large = timed([sys.executable, "-c", "print(1)"]), timed([sys.executable, "-c", code])
    assert large.output == "done\n"
    assert large.seconds > 0.2
    # A process is charged at least what the one that started it holds, which for a test may be more than the block.
    assert large.memory_mb >= max(60, small.memory_mb)
