"""Wait for processes, but not for ever."""

import contextlib
import os
import time

import psutil

WAIT = 60


def ended(process):
    out, err = process.communicate(timeout=WAIT)
    return process.returncode, out, err


def eventually(condition):
    limit = time.monotonic() + WAIT
    while time.monotonic() < limit:
        if met := condition():
            return met
        time.sleep(0.02)
    return None


def has_ended(process):
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def fork_at_work(server, command):
    """The fork that does the step of ``command``, once it writes to the command's standard error."""

    def found():
        for fork in psutil.Process(server.pid).children():
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{fork.pid}/fd/2") == os.readlink(f"/proc/{command.pid}/fd/2"):
                    return fork
        return None

    return eventually(found)
