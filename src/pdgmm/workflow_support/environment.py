"""The environment that the workflow's commands run in."""

import os
import sys
from pathlib import Path

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON")
"""Numerical libraries that read their number of threads from the environment when they are imported."""


def prepare_environment(source: Path, device: str, track_code: bool) -> None:
    """Make the rules' ``python -m pdgmm`` this interpreter and the package under ``source``.

    ``device`` and ``track_code`` go through the environment and not through ``params``: where a fit runs does
    not change what it means, so it must not re-run anything.
    """
    interpreter = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([interpreter, os.environ.get("PATH", "")])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
    os.environ["PDGMM_DEVICE"] = device
    os.environ["PDGMM_TRACK_CODE"] = str(track_code)


def thread_counts(threads: int) -> dict[str, str]:
    """The variables that give every library this number of ``threads``."""
    return {f"{library}_NUM_THREADS": str(threads) for library in LIBRARIES}
