"""One thread for everything: small operations are faster so, and workers do not fight over the cores."""

import os

# Before NumPy and torch are imported, which read them once.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
os.environ["SDL_VIDEODRIVER"] = "dummy"


def pytest_collection_modifyitems(items):
    """Runs of Snakemake first, then files with slow tests: no core should wait for the last of them."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: ("workflow" not in item.path.parts, item.path not in slow))
