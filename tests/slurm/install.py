"""Get Slurm onto this machine, or say why it cannot be had."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from debian_packages import install, is_debian, is_root

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo", "scancel", "scontrol")
# Where Debian keeps daemons; not every user's PATH has them.
os.environ["PATH"] += os.pathsep + os.pathsep.join(("/usr/sbin", "/sbin"))


def reason_to_skip() -> str:
    """Why no Slurm can run here, after installing Debian's packages where they are missing; empty if one can."""
    if not is_debian():
        return "the test installs and starts Debian's Slurm, and this is no Debian"
    if not is_root():
        return "the test starts Slurm's daemons by hand, and only root may"
    return install(["slurm-wlm", "munge"], NEEDED)
