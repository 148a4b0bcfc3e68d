"""Get Slurm onto this machine, or say why it cannot be had."""

import os
import shutil
import subprocess
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo", "scancel", "scontrol")
# Where Debian keeps daemons; not every user's PATH has them.
os.environ["PATH"] += os.pathsep + os.pathsep.join(("/usr/sbin", "/sbin"))


def reason_to_skip() -> str:
    """Why no Slurm can be tried here; empty if one can."""
    if not _is_debian():
        return "the test installs and starts Debian's Slurm, and this is no Debian"
    if os.geteuid() != 0:
        return "the test starts Slurm's daemons by hand, and only root may"
    return ""


def install() -> None:
    """Install Debian's packages where they are missing; root on Debian must get them, or the test fails."""
    if not _missing():
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "slurm-wlm", "munge"],
    ):
        done = subprocess.run(command, env=quiet, capture_output=True, text=True, timeout=240, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
    if _missing():
        raise RuntimeError(f"no {', '.join(_missing())} after installing slurm-wlm and munge")


def _is_debian() -> bool:
    return Path("/etc/debian_version").exists() and shutil.which("apt-get") is not None


def _missing() -> list[str]:
    return [program for program in NEEDED if shutil.which(program) is None]
