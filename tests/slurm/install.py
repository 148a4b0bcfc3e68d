"""Get Slurm onto this machine, or say why it cannot be had."""

import os
import sys
from pathlib import Path

# Behind the others: this folder has a conftest.py of its own.
sys.path.append(str(Path(__file__).parents[1]))

import debian_packages

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo", "scancel", "scontrol")
# Where Debian keeps daemons; not every user's PATH has them.
os.environ["PATH"] += os.pathsep + os.pathsep.join(("/usr/sbin", "/sbin"))


def reason_to_skip() -> str:
    """Why no Slurm can be tried here; empty if one can."""
    if not debian_packages.is_debian():
        return "the test installs and starts Debian's Slurm, and this is no Debian"
    if not debian_packages.is_root():
        return "the test starts Slurm's daemons by hand, and only root may"
    return ""


def install() -> None:
    """Install Debian's packages where they are missing; root on Debian must get them, or the test fails."""
    if failure := debian_packages.install(["slurm-wlm", "munge"], NEEDED):
        raise RuntimeError(failure)
