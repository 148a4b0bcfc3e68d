"""Start the process that serves small steps, for as long as this process lives."""

import argparse
import logging
import os
import secrets
import socket
import subprocess
import sys

from pdgmm.small_steps.asking import ADDRESS, OFF, named
from pdgmm.thread_counts import thread_counts

log = logging.getLogger(__name__)

_NO_THREAD_OF_ARROW = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
"""A process that forks has no other thread; pandas imports Arrow, whose allocator starts one where it may."""

_servers: list[subprocess.Popen] = []
"""Kept: a server ends when its standard input is closed."""


def serve_small_steps(wanted: bool = True) -> subprocess.Popen | None:
    """Start the server and tell the commands started from here on where it is; None where there is none.

    There is none where it is not ``wanted`` or ``PDGMM_STEP_SERVER`` is ``off``, outside Linux, whose libraries stand
    a fork, and where the system refuses: then every small step is a process of its own. The server ends with this
    process, even where that is killed.
    """
    if os.environ.get(ADDRESS) == OFF:
        return None
    # No command asks the server of another run, inside which this one may have been started.
    os.environ.pop(ADDRESS, None)
    if not wanted or sys.platform != "linux":
        return None
    address = f"@pdgmm-steps-{secrets.token_hex(8)}"
    try:
        server = _started(address)
    except OSError as error:
        log.warning("small steps start by themselves, as no process can serve them here (%s)", error)
        return None
    os.environ[ADDRESS] = address
    _servers.append(server)
    return server


def is_of_several_steps(arguments: list[str]) -> bool:
    """Whether steps share the submission for which a node calls Snakemake with these ``arguments``.

    The node may do the steps in this call, or start a call for each, which then finds the server in its environment.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--target-jobs", nargs="+", default=[])
    return len(parser.parse_known_args(arguments)[0].target_jobs) > 1


def _started(address: str) -> subprocess.Popen:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(named(address))
        # From here on steps can ask; they wait until the server has started.
        listener.listen(128)
        return subprocess.Popen(
            [sys.executable, "-m", "pdgmm.small_steps.serving", str(listener.fileno())],
            # It ends when this process does: no other process has it, and it is never written to.
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno()],
            env=os.environ | thread_counts(1) | _NO_THREAD_OF_ARROW,
        )
