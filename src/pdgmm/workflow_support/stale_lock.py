"""Let the same command work again after a run was killed.

Snakemake locks a folder with files, and a killed run leaves these files behind. This module also holds a lock of the
operating system (``flock``), which ends with its process. Whoever gets this lock knows that Snakemake's files are
left over from a dead run. Two live runs in one folder still refuse each other, by Snakemake's own lock.

A dry run (``-n``) or a report also holds the lock for a few seconds: while the workflow is read, it is not known
whether it will run. A run that starts meanwhile waits for the lock in the background (:func:`keep_lock`). Otherwise
a later call could think that a live run is dead.
"""

import fcntl
import logging
import os
import socket
import threading
from pathlib import Path

log = logging.getLogger("snakemake")

_held: list[int] = []
"""File descriptors of the locks, held until this process ends."""


def remove_stale_lock(folder: Path) -> bool:
    """Remove Snakemake's lock files in ``folder`` if the run that made them is dead; return whether it did.

    Nothing is removed if the lock is held, if it was made on another host (whose processes cannot be seen from here),
    or if the file system has no ``flock``. In the last two cases use ``snakemake --unlock``.
    """
    descriptor = _taken(folder, wait=False)
    if descriptor is None:
        return False
    holder = os.read(descriptor, 1024).decode(errors="replace")
    stale = list((folder / ".snakemake" / "locks").glob("*.lock"))
    if stale and holder != socket.gethostname():
        return False
    _sign(descriptor)
    for lock in stale:
        lock.unlink(missing_ok=True)
    if stale:
        log.warning("Removed the lock that a killed run left behind.")
    return bool(stale)


def keep_lock(folder: Path) -> threading.Thread | None:
    """Hold the lock from now on; if another process holds it, wait for it in the background."""
    if _held:
        return None
    waiting = threading.Thread(target=_wait_for_lock, args=(folder,), daemon=True)
    waiting.start()
    return waiting


def _wait_for_lock(folder: Path) -> None:
    descriptor = _taken(folder, wait=True)
    if descriptor is not None:
        _sign(descriptor)


def _taken(folder: Path, *, wait: bool) -> int | None:
    """The file descriptor of the lock, held until this process ends; None if the lock cannot be taken."""
    state = folder / ".snakemake"
    try:
        state.mkdir(exist_ok=True)
        descriptor = os.open(state / "pdgmm.lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        return None
    _held.append(descriptor)
    return descriptor


def _sign(descriptor: int) -> None:
    """Write the name of this host into the lock."""
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, socket.gethostname().encode(), 0)
