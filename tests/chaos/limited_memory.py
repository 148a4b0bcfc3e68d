"""A command of pdgmm that gets little memory once it works: ``python limited_memory.py BYTES MODULES ARGUMENT...``.

The modules (with commas) are imported before the limit holds: what is tried is a step that runs out of memory, not a
library that cannot be loaded.
"""

import importlib
import resource
import sys
from pathlib import Path

import numpy as np

from pdgmm.cli.main import main


def limit(room: int) -> None:
    """Let this process take ``room`` bytes of address space more than it has."""
    # OpenBLAS takes its buffers with the first product, and waits for ever where it gets none.
    np.linalg.svd(np.eye(50) @ np.eye(50))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    room, modules = int(sys.argv.pop(1)), sys.argv.pop(1)
    for module in modules.split(","):
        importlib.import_module(module)
    limit(room)
    main()
