"""Programs that tests need and Debian has packages for: installed where that may be, or missed with a reason."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

MOST_SECONDS = 600
"""A slow mirror may take minutes; one that hangs must not stop the tests."""


def is_debian() -> bool:
    """Whether Debian's packages can be installed here at all."""
    return Path("/etc/debian_version").exists() and shutil.which("apt-get") is not None


def is_root() -> bool:
    """Whether this user may install them."""
    return os.geteuid() == 0


def missing(programs: Sequence[str]) -> list[str]:
    """Those of the programs that are not on the path."""
    return [program for program in programs if shutil.which(program) is None]


def install(packages: Sequence[str], programs: Sequence[str]) -> str:
    """Install ``packages`` where one of their ``programs`` is missing; why that failed, empty if all are there."""
    if not missing(programs):
        return ""
    install_them = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    # A fresh image has no lists of packages, another may have old ones.
    if _failure(install_them):
        failure = _failure(["apt-get", "update", "-qq"]) or _failure(install_them)
        if failure:
            return failure
    absent = ", ".join(missing(programs))
    return f"no {absent} after installing {' and '.join(packages)}" if absent else ""


def _failure(command: list[str]) -> str:
    """Run a command quietly; what it complained of, empty if it did not."""
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, env=quiet, capture_output=True, text=True, timeout=MOST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{' '.join(command)} took more than {MOST_SECONDS} s"
    return f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}" if done.returncode else ""
