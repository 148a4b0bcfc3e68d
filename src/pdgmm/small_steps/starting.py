"""Start the process that serves small steps, for as long as this process lives."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from pdgmm.small_steps.asking import ADDRESS

THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON")
"""Libraries that read their number of threads when they are imported: a small step has one."""


def serve_small_steps() -> subprocess.Popen | None:
    """Start the server and tell the commands started from here on where it is; None where there is none.

    There is none where ``PDGMM_STEP_SERVER`` is ``off``, and outside Linux, whose system libraries stand a fork. The
    server ends with this process, even where that is killed.
    """
    if os.environ.get(ADDRESS) == "off" or sys.platform != "linux":
        return None
    # Short, as the path of a socket must be, and nobody else's: whoever may write to the socket may run steps.
    folder = Path(tempfile.mkdtemp(prefix="pdgmm-steps-"))
    address = folder / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        # From here on steps can ask; they wait until the server has started.
        listener.listen(128)
        server = subprocess.Popen(
            [sys.executable, "-m", "pdgmm.small_steps.serving", str(listener.fileno()), str(address)],
            # Its end is this process's: no other process has it, and it is never written to.
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno()],
            env=os.environ | {f"{library}_NUM_THREADS": "1" for library in THREADS},
        )
    os.environ[ADDRESS] = str(address)
    return server
