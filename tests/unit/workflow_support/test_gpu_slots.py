"""Several GPUs on one host, with a fake list of them."""

import json
import os
import select
import subprocess
import sys

import pytest

from pdgmm.errors import UserError
from pdgmm.steps.generate import generate_dataset
from pdgmm.workflow_support import gpu_slots
from pdgmm.workflow_support.gpu_slots import claim_device, default_slots, shared_devices, use_own_device

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
        ({"PDGMM_GPUS": "0,0,1"}, ["0", "1"]),
        (
            {"PDGMM_GPUS": "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"},
            ["GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"],
        ),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, []),
        ({"CUDA_VISIBLE_DEVICES": ""}, []),
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


def test_cuda_sees_the_claimed_device_alone(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "unchanged")
    monkeypatch.setenv("PDGMM_GPUS", "4,6")
    assert use_own_device() == "4"
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "4"


def test_nothing_is_claimed_where_nothing_is_shared(monkeypatch):
    for name in ("PDGMM_GPUS", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    assert use_own_device() is None
    assert "CUDA_VISIBLE_DEVICES" not in os.environ


STEP = """
import sys
import pdgmm.steps.train
from pdgmm.cli.main import main

def visible(wanted):
    import os
    print(os.environ["CUDA_VISIBLE_DEVICES"], flush=True)
    sys.stdin.read()
    return "cpu"

import pdgmm.fitting.devices
pdgmm.fitting.devices.resolve_device = visible
main()
"""


def test_two_trainings_side_by_side_see_a_device_each(tmp_path):
    """The real command with the real claim; only the look for a GPU that is not there is left out."""
    dataset = tmp_path / "data.h5"
    samples = {"train": 300, "test": 50, "unmasked": 50, "independent": 50}
    generate_dataset("pdgmm", json.dumps({"n": 4, "m": 2, "samples": samples}), 0, dataset)
    settings = json.dumps({"widths": [2], "batch_size": 64, "steps": 1})
    arguments = ["step", "train-stage1", "--method", "autoencoder", "--settings", settings, "--seed", "0"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "CUDA_"))}
    environment |= {"PDGMM_GPUS": "0,1", "TMPDIR": str(tmp_path)}
    steps = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                STEP,
                *arguments,
                "--dataset",
                str(dataset),
                "--out",
                str(tmp_path / name),
            ],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("first", "second")
    ]
    try:
        assert sorted(step.stdout.readline().strip() for step in steps) == ["0", "1"]
        for step in steps:
            step.communicate(timeout=120)
        assert [step.returncode for step in steps] == [0, 0]
        assert all((tmp_path / name / "model.json").exists() for name in ("first", "second"))
    finally:
        for step in steps:
            step.kill()
            step.wait()
