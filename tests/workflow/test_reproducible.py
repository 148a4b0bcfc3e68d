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


def test_one_core_and_two_cores_give_the_same_bytes(finished_once, fresh):
    fresh.run(cores=2)
    assert outcomes(fresh) == outcomes(finished_once)
    assert len(outcomes(fresh)) == 1 + 2 + 4 + 3 + 2


def wait_for(condition, process, seconds=120):
    for _ in range(seconds * 20):
        if condition():
            return
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    raise AssertionError("timed out")


def test_a_killed_run_resumes_and_ends_in_the_same_result(finished, tmp_path):
    config = finished.config
    config["methods"]["lagrangian"]["steps"] = 1500
    finished.config = config
    undisturbed = finished.copy(tmp_path / "undisturbed")
    undisturbed.run()

    process = subprocess.Popen(
        finished.command(),
        cwd=finished.folder,
        env=finished.environment(**{CHECKPOINT_EVERY_STEPS: "100"}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    checkpoint = next(finished.folder.glob("results/*/seed-0/autoencoder+lagrangian")) / "checkpoint.pt"
    wait_for(checkpoint.exists, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()

    scores = checkpoint.with_name("scores.json")
    assert not checkpoint.with_name("model.safetensors").exists(), "killed too late to show anything"
    _, output = finished.run()
    assert "Removed the lock" in output
    log = next(
        finished.folder.glob("results/logs/train_stage2/*/seed-0/autoencoder+lagrangian.log")
    ).read_text()
    assert "resuming from" in log
    assert not checkpoint.exists()
    assert outcomes(finished) == outcomes(undisturbed)
    assert scores.exists()
