"""The number of threads of numerical libraries, which read it from the environment when they are imported."""

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "RAYON")


def thread_counts(threads: int) -> dict[str, str]:
    """The variables that give every library so many threads."""
    return {f"{library}_NUM_THREADS": str(threads) for library in LIBRARIES}
