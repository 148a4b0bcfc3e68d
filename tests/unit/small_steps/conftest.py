"""A server of small steps, and commands that may ask it."""

import os
import subprocess
import sys

import pytest

from pdgmm.small_steps.asking import ADDRESS
from pdgmm.small_steps.starting import serve_small_steps


@pytest.fixture
def server(monkeypatch):
    """A running server whose address the environment has, ended after the test."""
    monkeypatch.setenv(ADDRESS, "")
    process = serve_small_steps()
    if process is None:
        pytest.skip("small steps are only served on Linux")
    yield process
    process.stdin.close()
    process.wait(60)


@pytest.fixture
def ask():
    """``pdgmm step --threads 1 <arguments>`` in a process of its own, with the environment of this one."""

    def start(*arguments, **options):
        return subprocess.Popen(
            [sys.executable, "-m", "pdgmm", "step", "--threads", "1", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ) | options.pop("environment", {}),
            **options,
        )

    return start
