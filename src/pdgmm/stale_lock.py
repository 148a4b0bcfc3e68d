"""Let the same command work again after a run was killed.

Snakemake marks a folder as locked with files, which a killed run leaves behind. Beside them this module holds
a lock of the operating system (``flock``), which no dead process can hold: who gets it knows that Snakemake's
files are left-overs. Two live runs in one folder still refuse each other, by Snakemake's own lock.
"""

import fcntl
import logging
import os
import socket
from pathlib import Path

log = logging.getLogger("snakemake")

_held: list[int] = []
"""Descriptors of locks held until this process ends."""


def remove_stale_lock(folder: Path) -> bool:
    """Remove Snakemake's lock files in ``folder`` if the run that made them is dead; say whether it did.

    Nothing is removed where the lock is held, was made on another host (whose processes cannot be seen from
    here), or where the file system knows no ``flock``: there ``snakemake --unlock`` remains.
    """
    state = folder / ".snakemake"
    try:
        state.mkdir(exist_ok=True)
        descriptor = os.open(state / "pdgmm.lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return False
    _held.append(descriptor)
    here = socket.gethostname()
    holder = os.read(descriptor, 1024).decode(errors="replace")
    stale = list((state / "locks").glob("*.lock"))
    if stale and holder != here:
        return False
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, here.encode(), 0)
    for lock in stale:
        lock.unlink(missing_ok=True)
    if stale:
        log.warning("Removed the lock that a killed run left behind.")
    return bool(stale)
