"""Which observed variable depends on which latents: families of square supports."""

from collections.abc import Callable

import numpy as np


def cyclic(n: int) -> np.ndarray:
    """Observed variable i depends on latents i and i + 1, the last one on the last and the first."""
    return np.eye(n, dtype=bool) | np.roll(np.eye(n, dtype=bool), 1, axis=1)


def complement(n: int) -> np.ndarray:
    """Observed variable i depends on all latents but i."""
    return ~np.eye(n, dtype=bool)


def triangular(n: int) -> np.ndarray:
    """Observed variable i depends on the latents 0 to i."""
    return np.tri(n, dtype=bool)


def dense(n: int) -> np.ndarray:
    """Everything depends on everything."""
    return np.ones((n, n), dtype=bool)


def duplicated(n: int) -> np.ndarray:
    """As ``cyclic``, but the first two latents have the same children: all those of either."""
    support = cyclic(n)
    support[:, :2] = support[:, :2].any(axis=1, keepdims=True)
    return support


def groups(n: int) -> np.ndarray:
    """Two groups of observed variables, each dense, with latents of their own and shared ones: see ``group_of``."""
    group = group_of(n)
    first = np.arange(n) < (n + 1) // 2
    return np.where(first[:, None], group != ONLY_SECOND, group != ONLY_FIRST)


ONLY_FIRST, SHARED, ONLY_SECOND = 0, 1, 2


def group_of(n: int) -> np.ndarray:
    """(n,) whose latent it is: 1 | 1 | 1 of 3, 1 | 2 | 1 of 4, 2 | 1 | 2 of 5, always as many on both sides."""
    own = (n - 1) // 2
    return np.repeat([ONLY_FIRST, SHARED, ONLY_SECOND], [own, n - 2 * own, own])


FAMILIES: dict[str, Callable[[int], np.ndarray]] = {
    "cyclic": cyclic,
    "complement": complement,
    "triangular": triangular,
    "dense": dense,
    "duplicated": duplicated,
    "groups": groups,
}
"""Supports (n, n) of n latents by name; rows are observed variables."""
