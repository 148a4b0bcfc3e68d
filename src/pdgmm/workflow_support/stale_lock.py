"""Let the same command work again after a run was killed.

Snakemake marks a folder as locked with files, which a killed run leaves behind. Beside them this module holds
a lock of the operating system (``flock``), which no dead process can hold: who gets it knows that Snakemake's
files are left-overs. Two live runs in one folder still refuse each other, by Snakemake's own lock.

A plan (``-n``) or a report also holds the lock for its seconds: while the workflow is read, it is not known
whether it will run. What starts meanwhile waits for the lock in the background (:func:`keep_lock`), or a later call
could take a live run for dead.
"""

import fcntl
import logging
import os
import socket
import threading
from pathlib import Path

log = logging.getLogger("snakemake")

_held: list[int] = []
"""Descriptors of locks held until this process ends."""


def remove_stale_lock(folder: Path) -> bool:
    """Remove Snakemake's lock files in ``folder`` if the run that made them is dead; say whether it did.

    Nothing is removed where the lock is held, was made on another host (whose processes cannot be seen from
    here), or where the file system knows no ``flock``: there ``snakemake --unlock`` remains.
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
    """Hold the lock from now on; where another process holds it, wait for it in the background."""
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
    """The descriptor of the lock, held until this process ends; None where it cannot be had."""
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
    """Write into the lock which host holds it."""
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, socket.gethostname().encode(), 0)
