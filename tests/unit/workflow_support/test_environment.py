"""The environment of the workflow's commands."""

import os
import platform
import sys
from pathlib import Path

from pdgmm.workflow_support.environment import prepare_environment, reuse_freed_memory, thread_counts


def test_commands_run_this_interpreter_and_this_package(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "environ", {"PATH": "/usr/bin"})
    prepare_environment(tmp_path, "cpu", track_code=False)
    assert os.environ == {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin"]),
        "PYTHONPATH": str(tmp_path),
        "PDGMM_DEVICE": "cpu",
        "PDGMM_TRACK_CODE": "False",
    }


def test_every_numerical_library_gets_the_same_number_of_threads():
    counts = thread_counts(3)
    assert {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} <= counts.keys()
    assert set(counts.values()) == {"3"}


def test_freed_memory_is_kept_with_glibc_and_nothing_happens_elsewhere():
    assert reuse_freed_memory() is (platform.libc_ver()[0] == "glibc")
