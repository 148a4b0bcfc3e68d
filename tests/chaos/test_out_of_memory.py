"""A worker that gets less memory than it needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MEGABYTE = 2**20
PATIENCE = 120
"""Seconds after which a process that waits for memory is ended."""

SAMPLES = {"train": 60_000, "test": 300, "unmasked": 300, "independent": 300}
LIMITED = Path(__file__).with_name("limited_memory.py")
MODULES = {
    "generate": "pdgmm.steps.generate,pdgmm.data.scm,scipy.special,scipy.linalg",
    "train-stage1": "pdgmm.steps.train,pdgmm.methods.autoencoder,pdgmm.fitting.training_loop,torch",
}
"""What a step imports, to be there before memory gets short."""


HUNG = -1000
"""In place of an exit code: the step had to be ended."""


def step(name, *arguments, room=None):
    """A step of the workflow; with ``room``, in a process that may take so many bytes more when it begins to work."""
    program = ["-m", "pdgmm"] if room is None else [str(LIMITED), str(room), MODULES[name]]
    command = [sys.executable, *program, "step", name, *map(str, arguments)]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        # OpenBLAS asks for its buffers without end where it gets none; a scheduler would end the job.
        return subprocess.CompletedProcess(command, HUNG, "", f"ended after {PATIENCE} s without memory")


def check_words(done, tally):
    """A step that ended for lack of memory says so, without a traceback; one that a library let crash cannot."""
    tally.hung += done.returncode == HUNG
    if done.returncode > 0:
        assert "memory" in done.stderr.lower(), done.stderr
    assert "Traceback" not in done.stderr, done.stderr


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def generate(out, room=None):
    settings = json.dumps({"n": 40, "m": 2, "samples": SAMPLES})
    return step(
        "generate", "--generator", "pdgmm", "--settings", settings, "--seed", 0, "--out", out, room=room
    )


@pytest.mark.slow
def test_a_writer_without_memory_leaves_nothing_or_the_whole_dataset(tmp_path, tally):
    path = tmp_path / "data" / "seed-0.h5"
    assert generate(path).returncode == 0
    whole = path.read_bytes()
    codes = []
    for megabytes in range(30, 250, 50):
        path.unlink(missing_ok=True)
        done = generate(path, room=megabytes * MEGABYTE)
        codes.append(done.returncode)
        tally.add(files(tmp_path) in ({}, {path.relative_to(tmp_path): whole}))
        assert (done.returncode == 0) == path.exists(), done.stderr
        check_words(done, tally)
    assert tally.lost == 0
    assert any(codes), "no limit was too small"
    assert generate(path).returncode == 0
    assert path.read_bytes() == whole


@pytest.mark.slow
def test_a_training_without_memory_leaves_no_model_and_can_be_run_again(finished_once, tmp_path, tally):
    (dataset,) = finished_once.folder.glob("datasets/*/seed-0.h5")
    # Its networks and what Adam keeps of them are larger than the smaller limit.
    settings = json.dumps({"widths": [400, 400], "batch_size": 256, "steps": 5})
    common = ("--method", "autoencoder", "--settings", settings, "--dataset", dataset, "--seed", 0)
    common += ("--device", "cpu", "--out")
    whole = tmp_path / "whole"
    assert step("train-stage1", *common, whole).returncode == 0
    expected = (whole / "model.safetensors").read_bytes()
    codes = []
    for kilobytes in (30_000, 500_000):
        out = tmp_path / str(kilobytes)
        done = step("train-stage1", *common, out, room=kilobytes * 1000)
        codes.append(done.returncode)
        model = out / "model.safetensors"
        tally.add(not model.exists() or model.read_bytes() == expected)
        assert (done.returncode == 0) == (out / "model.json").exists(), done.stderr
        check_words(done, tally)
        assert not list(out.rglob("*.part"))
        assert step("train-stage1", *common, out).returncode == 0
        assert model.read_bytes() == expected
    assert tally.lost == 0
    assert any(codes), "no limit was too small"
