"""Every random number comes from a named child of the run's seed.

A child depends only on the seed and on its own name. So new code that draws random numbers never changes the numbers
that other code gets, and no stream depends on the order or the number of processes.
"""

import hashlib

import numpy as np


def child_sequence(seed: int, *names: str | int) -> np.random.SeedSequence:
    """The seed sequence of the child called ``names`` (for example ``("masks", 3)``) of ``seed``."""
    digest = hashlib.sha256("/".join(map(str, names)).encode()).digest()
    words = np.frombuffer(digest, dtype=np.uint32)
    return np.random.SeedSequence(entropy=seed, spawn_key=tuple(int(word) for word in words))


def child_generator(seed: int, *names: str | int) -> np.random.Generator:
    """A NumPy generator for the named child of ``seed``."""
    return np.random.default_rng(child_sequence(seed, *names))


def child_seed(seed: int, *names: str | int) -> int:
    """A 63-bit integer seed for the named child of ``seed``, for libraries that want an integer."""
    return int(child_sequence(seed, *names).generate_state(1, np.uint64)[0] >> np.uint64(1))
