"""Several GPUs on one host, with a fake list of them."""

import os
import select
import subprocess
import sys

import pytest

from pdgmm.errors import UserError
from pdgmm.fitting import devices
from pdgmm.workflow_support import gpu_slots
from pdgmm.workflow_support.gpu_slots import claim_device, default_slots, shared_devices

JOB = """
import sys
from pathlib import Path
from pdgmm.workflow_support.gpu_slots import claim_device

print(claim_device(sys.argv[2:], Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def release():
    yield
    while gpu_slots._held:
        os.close(gpu_slots._held.pop())


@pytest.fixture
def job(tmp_path):
    """Start a process that claims a device and lives until it is killed or its input ends."""
    started = []

    def start(*devices):
        process = subprocess.Popen(
            [sys.executable, "-c", JOB, str(tmp_path / "slots"), *devices],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_job_too_many_waits_and_gets_the_device_of_a_killed_one(job):
    first, second = job("0"), job("1")
    assert [first.stdout.readline(), second.stdout.readline()] == ["0\n", "1\n"]
    waiting = job("0", "1")
    has_claimed, _, _ = select.select([waiting.stdout], [], [], 2)
    assert not has_claimed, "no device was free"
    second.kill()
    assert waiting.stdout.readline() == "1\n"


def test_a_child_that_outlives_the_job_does_not_keep_its_device(tmp_path):
    script = JOB.replace("sys.stdin.read()", "import subprocess; subprocess.Popen(['sleep', '20'])")
    # Not to a pipe: the child would hold it open, and the test would wait for the child.
    subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), "0"], stdout=subprocess.DEVNULL, check=True, timeout=15
    )
    assert claim_device(["0"], tmp_path) == "0"


@pytest.mark.parametrize(
    ("environment", "devices"),
    [
        ({}, []),
        ({"PDGMM_GPUS": "0,1, 2"}, ["0", "1", "2"]),
        ({"CUDA_VISIBLE_DEVICES": "3,5"}, ["3", "5"]),
        ({"PDGMM_GPUS": "1", "CUDA_VISIBLE_DEVICES": "3,5"}, ["1"]),
        ({"PDGMM_GPUS": "", "CUDA_VISIBLE_DEVICES": "3,5"}, ["3", "5"]),
        ({"CUDA_VISIBLE_DEVICES": "3"}, []),
        ({"PDGMM_GPUS": "0,0,GPU-8932f937"}, ["0", "GPU-8932f937"]),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, []),
        ({"CUDA_VISIBLE_DEVICES": "0", "PDGMM_GPUS": "2,3", "SLURM_JOB_ID": "7"}, []),
        ({"CUDA_VISIBLE_DEVICES": "0,1", "PDGMM_GPUS": "2,3", "SLURM_JOB_ID": "7"}, ["0", "1"]),
    ],
)
def test_which_devices_are_shared(environment, devices):
    assert shared_devices(environment) == devices


@pytest.mark.parametrize("value", ["a", "0;1", "../x", "-1"])
def test_a_wrong_list_is_one_clear_error(value):
    with pytest.raises(UserError, match="PDGMM_GPUS"):
        shared_devices({"PDGMM_GPUS": value})


def test_two_slurm_jobs_share_no_slots():
    assert default_slots({"SLURM_JOB_ID": "7"}) != default_slots({"SLURM_JOB_ID": "8"}) != default_slots({})


def test_a_training_claims_a_device_before_torch_looks_for_one(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "unchanged")
    monkeypatch.setenv("PDGMM_GPUS", "4,6")
    monkeypatch.setattr(devices, "resolve_device", lambda wanted: os.environ["CUDA_VISIBLE_DEVICES"])
    assert devices.prepared_device("cpu", 1) == "unchanged"
    assert devices.prepared_device("auto", 1) == "4"
    assert claim_device(["4", "6"], default_slots({})) == "6"
