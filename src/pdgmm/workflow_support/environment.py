"""The environment of the workflow's commands, and how they reuse memory."""

import ctypes
import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON")
"""The variables from which numerical libraries read their number of threads when they are imported."""

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of glibc's ``mallopt``."""

LARGEST_REUSED = 32 * 2**20
"""Bytes; glibc accepts no larger value."""

KEPT = 2**30
"""Bytes of free memory at the top of the heap that are not given back."""


def importable_from(links: Path) -> Path:
    """A folder that offers this package to other interpreters and none of its neighbours.

    In the repository this is ``src``. An installed package lies among others that were made for this interpreter and
    would hide those of a conda environment: ``links``, with a link to the package, takes its place.
    """
    folder = PACKAGE.parent
    if folder.name == "src":
        return folder
    links.mkdir(parents=True, exist_ok=True)
    link = links / PACKAGE.name
    if not link.is_symlink() or link.readlink() != PACKAGE:
        # Renamed into its place: several jobs on a cluster may come here at once.
        made = links / f"{PACKAGE.name}-{os.getpid()}"
        made.symlink_to(PACKAGE)
        made.replace(link)
    return links.absolute()


def prepare_environment(source: Path, device: str, track_code: bool) -> None:
    """Make sure that ``python -m pdgmm`` in the rules is this interpreter and the package under ``source``.

    ``device`` and ``track_code`` are passed as environment variables and not as ``params``: where a fit runs does not
    change what it means, so a change of them must not re-run anything.
    """
    interpreter = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([interpreter, os.environ.get("PATH", "")])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
    os.environ["PDGMM_DEVICE"] = device
    os.environ["PDGMM_TRACK_CODE"] = str(track_code)


def thread_counts(threads: int) -> dict[str, str]:
    """The environment variables that give every library this number of ``threads``."""
    return {f"{library}_NUM_THREADS": str(threads) for library in LIBRARIES}


def reuse_freed_memory() -> bool:
    """Make the C library keep freed memory for the next arrays instead of returning it to the system.

    Otherwise every array above 128 kB costs page faults: two thirds of the time of an affine search on Linux. The
    setting affects the whole process, so only our own commands use it, never the library inside somebody's program.
    Without glibc it does nothing and returns ``False``.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(
        mallopt(M_MMAP_THRESHOLD, LARGEST_REUSED) and mallopt(M_TRIM_THRESHOLD, KEPT)
    )
