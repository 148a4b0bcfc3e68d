"""Keeping freed memory, for loops that allocate and free the same large arrays over and over."""

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of glibc's ``mallopt``."""

LARGEST_REUSED = 32 * 2**20
"""Bytes; glibc takes no larger value."""

KEPT = 2**30
"""Bytes of free memory at the top of the heap that are not given back."""


def reuse_freed_memory() -> bool:
    """Have the C library keep freed arrays for the next ones instead of handing them back to the system.

    Else every array above 128 kB costs page faults, which take two thirds of the time of an affine search on
    Linux. Holds for the whole process, so it is for our own commands, not for the library inside somebody's
    program; does nothing (and returns ``False``) where there is no glibc.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(
        mallopt(M_MMAP_THRESHOLD, LARGEST_REUSED) and mallopt(M_TRIM_THRESHOLD, KEPT)
    )
