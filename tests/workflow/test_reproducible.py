"""The same seed gives the same result, however it was run and whatever interrupted it."""

import os
import signal
import subprocess
import time

import pytest

from pdgmm.fitting.training_loop import CHECKPOINT_EVERY_STEPS

pytestmark = pytest.mark.slow

OUTCOMES = ("datasets/*/*.h5", "results/*/seed-*/*/scores.json", "results/tables/*", "results/figures/*/*")


def outcomes(project):
    return {path: content for pattern in OUTCOMES for path, content in project.files(pattern).items()}


def wait_for(condition, process, seconds=120):
    for _ in range(seconds * 20):
        if condition():
            return
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    raise AssertionError("timed out")


def test_two_cores_and_a_kill_end_in_the_same_bytes_as_one_core_undisturbed(finished_once, fresh):
    process = subprocess.Popen(
        fresh.command(cores=2),
        cwd=fresh.folder,
        env=fresh.environment(**{CHECKPOINT_EVERY_STEPS: "100"}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    stage2 = "results/*/seed-0/autoencoder+lagrangian/"
    wait_for(lambda: list(fresh.folder.glob(stage2 + "checkpoint.pt")), process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()

    (checkpoint,) = fresh.folder.glob(stage2 + "checkpoint.pt")
    assert not checkpoint.with_name("model.safetensors").exists(), "killed too late to show anything"
    _, output = fresh.run(cores=2)
    assert "Removed the lock" in output
    (log,) = fresh.folder.glob("results/logs/train_stage2/*/seed-0/autoencoder+lagrangian.log")
    assert "resuming from" in log.read_text()
    assert not checkpoint.exists()
    assert outcomes(fresh) == outcomes(finished_once)
    # A dataset, two scores, a table in four formats, three files that sum up, the headline picture, a heatmap in two.
    assert len(outcomes(fresh)) == 1 + 2 + 4 + 3 + 1 + 2
