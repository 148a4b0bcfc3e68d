"""A worker that gets less memory than it needs."""

import json
import resource
import subprocess
import sys
from functools import partial

import pytest

MEGABYTE = 2**20
PATIENCE = 60
"""Seconds after which a process that waits for memory is ended."""

SAMPLES = {"train": 60_000, "test": 300, "unmasked": 300, "independent": 300}


def step(*arguments, most=None):
    """A step of the workflow in a process that may take ``most`` bytes of address space."""
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (most, most)) if most else None
    command = [sys.executable, "-m", "pdgmm", "step", *map(str, arguments)]
    try:
        return subprocess.run(
            command, preexec_fn=limit, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        # OpenBLAS asks for its buffers without end where it gets none; a scheduler would end the job.
        return subprocess.CompletedProcess(command, -9, "", f"ended after {PATIENCE} s without memory")


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def generate(out, most=None):
    settings = json.dumps({"n": 40, "m": 2, "samples": SAMPLES})
    return step(
        "generate", "--generator", "pdgmm", "--settings", settings, "--seed", 0, "--out", out, most=most
    )


@pytest.mark.slow
def test_a_writer_without_memory_leaves_nothing_or_the_whole_dataset(tmp_path, record_property):
    path = tmp_path / "data" / "seed-0.h5"
    assert generate(path).returncode == 0
    whole = path.read_bytes()
    codes, lost = [], 0
    for megabytes in range(200, 400, 25):
        path.unlink(missing_ok=True)
        done = generate(path, most=megabytes * MEGABYTE)
        codes.append(done.returncode)
        left = files(tmp_path)
        lost += left not in ({}, {path.relative_to(tmp_path): whole})
        assert (done.returncode == 0) == path.exists(), done.stderr
        assert done.returncode == 0 or done.stderr, "it must say something"
    record_property("tried", len(codes))
    record_property("data_lost", lost)
    assert lost == 0
    assert any(codes), "no limit was too small"
    assert generate(path).returncode == 0
    assert path.read_bytes() == whole


@pytest.mark.slow
def test_a_training_without_memory_leaves_no_model_and_can_be_run_again(
    finished_once, tmp_path, record_property
):
    (dataset,) = finished_once.folder.glob("datasets/*/seed-0.h5")
    settings = json.dumps({"widths": [2], "batch_size": 256, "steps": 40})
    common = (
        "--method",
        "autoencoder",
        "--settings",
        settings,
        "--dataset",
        dataset,
        "--seed",
        0,
        "--device",
        "cpu",
    )
    whole = tmp_path / "whole"
    assert step("train-stage1", *common, "--out", whole).returncode == 0
    codes = []
    for megabytes in (300, 2000):
        out = tmp_path / str(megabytes)
        done = step("train-stage1", *common, "--out", out, most=megabytes * MEGABYTE)
        codes.append(done.returncode)
        assert (done.returncode == 0) == (out / "model.json").exists(), done.stderr
        assert not list(out.rglob("*.part"))
        assert step("train-stage1", *common, "--out", out).returncode == 0
        assert (out / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    record_property("tried", len(codes))
    record_property("data_lost", 0)
    assert any(codes), "no limit was too small"
