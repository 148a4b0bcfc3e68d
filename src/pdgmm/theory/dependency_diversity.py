"""Assumption 2 of diverse dictionary learning: are the dependencies diverse enough to tell single latents apart?"""

import numpy as np

from pdgmm.errors import UserError

MOST_OBSERVED = 16
"""The most observed variables whose subsets are all looked at."""


def covering_conditions(support: np.ndarray) -> tuple[frozenset[int], ...]:
    """For every latent, which of the three conditions of Assumption 2 hold for it; none: it is not covered.

    ``support`` (m, n) is not zero where an observed variable depends on a latent; ``I_j`` are the latents of the
    observed variable j. Latent i is covered by a set A of observed variables if

    1. A depends on all latents, and for a k in A: ``I_k`` without the union of the others' latents is ``{i}``;
    2. A depends on all latents, and for a k in A: the intersection of the others' latents, without ``I_k``, is
       ``{i}``;
    3. the intersection of all ``I_j`` with j in A is ``{i}``.

    All ``2^m - 1`` sets are tried. The theorem needs every latent to be covered.
    """
    support = np.asarray(support) != 0
    observed, latents = support.shape
    if observed > MOST_OBSERVED:
        raise UserError(
            f"Assumption 2 is checked for at most {MOST_OBSERVED} observed variables, not {observed}"
        )
    # A set of latents is the bits of an integer.
    rows = [sum(1 << i for i in np.flatnonzero(row).tolist()) for row in support]
    everything = (1 << latents) - 1
    found: list[set[int]] = [set() for _ in range(latents)]

    def cover(condition: int, left: int) -> None:
        if left.bit_count() == 1:
            found[left.bit_length() - 1].add(condition)

    for chosen in range(1, 1 << observed):
        members = [row for j, row in enumerate(rows) if chosen >> j & 1]
        cover(3, _intersection(members, everything))
        if _union(members) != everything:
            continue
        for k, row in enumerate(members):
            others = members[:k] + members[k + 1 :]
            cover(1, row & ~_union(others))
            cover(2, _intersection(others, everything) & ~row)
    return tuple(frozenset(conditions) for conditions in found)


def sufficiently_diverse(support: np.ndarray) -> bool:
    """Whether every latent is covered by one of the :func:`covering_conditions`."""
    return all(covering_conditions(support))


def _union(sets: list[int]) -> int:
    union = 0
    for one in sets:
        union |= one
    return union


def _intersection(sets: list[int], everything: int) -> int:
    for one in sets:
        everything &= one
    return everything
