"""One thread for everything: small operations are faster so, and workers do not fight over the cores."""

import os

# Before NumPy and torch are imported, which read them once.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
os.environ["SDL_VIDEODRIVER"] = "dummy"
