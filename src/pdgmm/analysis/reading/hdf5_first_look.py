"""A first look into a user's HDF5 file, by a process that may crash or be stopped.

HDF5 trusts what it reads: a damaged file can send it into a loop without end, which Ctrl-C does not reach, or out of
its memory. So another process does first what this one is about to do: it goes through all names, reads the names of
rows and columns, and finds where the numbers are. The numbers themselves, which are most of a large file, it leaves.

``python -m pdgmm.analysis.reading.hdf5_first_look FILE [ARRAY]`` is that process.
"""

import functools
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import h5py

from pdgmm.analysis.reading.hdf5_layout import SPARSE_PARTS, layout, opened
from pdgmm.analysis.reading.source import reading
from pdgmm.errors import UserError
from pdgmm.store.seal import is_sealed

try:
    import resource
except ImportError:  # Windows
    resource = None

log = logging.getLogger(__name__)

# Without the folder in which the user is: a numpy.py may lie there.
COMMAND = [sys.executable, "-X", "utf8", "-P", "-m", "pdgmm.analysis.reading.hdf5_first_look"]

LEAST_CPU_SECONDS = 20
MOST_CPU_SECONDS = 600
BYTES_A_CPU_SECOND = 10**6
"""Names are read at 5 MB in a second at the least; a file of names alone is given five times as long."""

WALL_SECONDS = 3600
"""Where no limit of processor time can be set: long enough for a slow disk."""

REFUSED = 3
"""The exit code that says: what stands on stdout is wrong with the file."""

WINDOWS_CRASH = 0xC0000000
"""From here on exit codes of Windows are crashes; elsewhere signals are below 0."""

DAMAGED = "it is damaged. Take it from where you have it whole, or write it anew"


def look_first(path: Path, array: str | None) -> None:
    """Nothing where HDF5 can look into the file without harm, else a :class:`UserError`."""
    with reading(path, "an HDF5 file", OSError):
        # A seal is checked before HDF5 sees anything of the file.
        if is_sealed(path):
            return
        about = path.stat()
    try:
        _look_once(path, array, (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns))
    except OSError as error:
        log.warning("%s is read without a first look by another process, as none can start (%s)", path, error)


@functools.lru_cache
def _look_once(path: Path, array: str | None, version: tuple[int, ...]) -> None:
    """One look at each ``version`` of a file, however often a command opens it."""
    try:
        done = subprocess.run(
            [*COMMAND, str(path), *([] if array is None else [array])],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=None if resource else WALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(
            f"{path}: HDF5 cannot read it, it did not end in {WALL_SECONDS} s: {DAMAGED}"
        ) from error
    if done.returncode == REFUSED:
        raise UserError(done.stdout.strip())
    if done.returncode < 0 or done.returncode >= WINDOWS_CRASH:
        raise UserError(f"{path}: HDF5 cannot read it ({_reason(-done.returncode)}): {DAMAGED}")
    if done.returncode:
        raise RuntimeError(f"the first look into {path} ended with {done.returncode}: {done.stderr}")


def _reason(number: int) -> str:
    if number == getattr(signal, "SIGXCPU", None):
        return "it goes through it without an end"
    names = {each.value: each.name for each in signal.Signals}
    return f"it crashes, {names.get(number, number)}"


def _look(path: Path, array: str | None) -> None:
    """What the process does: everything that is done to the file but reading the numbers."""
    # A damaged length of names asks for any amount of memory.
    with reading(path, "an HDF5 file", MemoryError), opened(path) as file:
        found = file[layout(file, path, array).name]
        parts = [found] if isinstance(found, h5py.Dataset) else [found[name] for name in SPARSE_PARTS]
        for part in parts:
            if part.chunks:
                # Goes through the whole tree of places where chunks are.
                part.id.get_num_chunks()


def _limit_processor_time(path: Path) -> None:
    """Have the system end this process where it calculates too long; waiting for a disk does not count."""
    if resource is None:
        return
    for_size = os.path.getsize(path) // BYTES_A_CPU_SECOND
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    seconds = min(LEAST_CPU_SECONDS + for_size, MOST_CPU_SECONDS)
    if most != resource.RLIM_INFINITY:
        seconds = min(seconds, most)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, most))
    # A crash is expected here: nobody wants its memory on the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> int:
    """Look into the file that the command line names."""
    # Ctrl-C ends it at once and in silence; whoever started it says what there is to say.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    path, array = Path(sys.argv[1]), (sys.argv[2:] or [None])[0]
    _limit_processor_time(path)
    try:
        _look(path, array)
    except UserError as error:
        sys.stdout.buffer.write(str(error).encode("utf-8", "surrogateescape"))
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
