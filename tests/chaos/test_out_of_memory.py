"""A worker that gets less memory than it needs."""

import json
import subprocess
import sys

import pytest

MEGABYTE = 10**6
PATIENCE = 120
"""Seconds after which a process that waits for memory is ended."""

LIMITED = """
import importlib, resource, sys
from pathlib import Path
import numpy as np
from pdgmm.cli.main import main

room, modules = int(sys.argv.pop(1)), sys.argv.pop(1)
for module in modules.split(","):
    importlib.import_module(module)
# OpenBLAS takes its buffers with the first product, and waits for ever where it gets none.
np.linalg.svd(np.eye(50) @ np.eye(50))
pages = int(Path("/proc/self/statm").read_text().split()[0])
most = pages * resource.getpagesize() + room
resource.setrlimit(resource.RLIMIT_AS, (most, most))
main()
"""
"""A command of pdgmm that gets little memory once it works, and not while libraries are loaded."""

MODULES = {
    "generate": "pdgmm.steps.generate,pdgmm.data.scm,scipy.special,scipy.linalg",
    "train-stage1": "pdgmm.steps.train,pdgmm.methods.autoencoder,pdgmm.fitting.training_loop,torch",
}
"""What a step imports, to be there before memory gets short."""

SAMPLES = {"train": 60_000, "test": 300, "unmasked": 300, "independent": 300}
SETTINGS = {
    "generate": {"n": 40, "m": 2, "samples": SAMPLES},
    # Its networks and what Adam keeps of them are larger than the smaller limit.
    "train-stage1": {"widths": [400, 400], "batch_size": 256, "steps": 5},
}


def step(name, out, *arguments, room=None):
    """A step of the workflow; with ``room``, in a process that may take that many bytes more when it works."""
    program = ["-m", "pdgmm"] if room is None else ["-c", LIMITED, str(room), MODULES[name]]
    command = [sys.executable, *program, "step", name, "--settings", json.dumps(SETTINGS[name])]
    command += ["--seed", "0", "--out", str(out), *map(str, arguments)]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        # OpenBLAS asks for its buffers without end where it gets none; a scheduler would end the job.
        return subprocess.CompletedProcess(command, -1000, "", f"ended after {PATIENCE} s without memory")


def check_limits(name, out, result, arguments, rooms, tally):
    """With too little memory there is no result or the whole one, and the same command makes it afterwards."""
    assert step(name, out, *arguments).returncode == 0
    expected = result.read_bytes()
    codes = []
    for room in rooms:
        result.unlink()
        done = step(name, out, *arguments, room=room * MEGABYTE)
        codes.append(done.returncode)
        tally.add(not result.exists() or result.read_bytes() == expected)
        assert done.returncode != 0 or result.exists()
        # A step that a library lets crash says nothing.
        assert done.returncode <= 0 or "memory" in done.stderr.lower(), done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        assert not list(result.parent.rglob("*.part"))
        assert step(name, out, *arguments).returncode == 0
        assert result.read_bytes() == expected
    assert tally.lost == 0
    assert any(codes), "no limit was too small"


@pytest.mark.parametrize("rooms", [[30], pytest.param(range(80, 250, 50), marks=pytest.mark.chaos)])
def test_a_writer_without_memory_leaves_nothing_or_the_whole_dataset(tmp_path, rooms, tally):
    path = tmp_path / "seed-0.h5"
    check_limits("generate", path, path, ["--generator", "pdgmm"], rooms, tally)


@pytest.mark.chaos
def test_a_training_without_memory_leaves_no_model_or_the_whole_one(finished_once, tmp_path, tally):
    (dataset,) = finished_once.folder.glob("datasets/*/seed-0.h5")
    arguments = ["--method", "autoencoder", "--device", "cpu", "--dataset", dataset]
    out = tmp_path / "fit"
    check_limits("train-stage1", out, out / "model.safetensors", arguments, (30, 500), tally)
