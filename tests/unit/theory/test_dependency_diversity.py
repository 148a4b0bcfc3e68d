from itertools import combinations, permutations

import numpy as np
import pytest

from pdgmm.data.dependency_supports import FAMILIES
from pdgmm.errors import UserError
from pdgmm.theory.dependency_diversity import covering_conditions, sufficiently_diverse


def by_sets(support):
    """The three conditions as the paper writes them, with Python's sets."""
    rows = [set(np.flatnonzero(row).tolist()) for row in support]
    everything = set(range(support.shape[1]))
    found = [set() for _ in everything]
    for size in range(1, len(rows) + 1):
        for chosen in combinations(rows, size):
            conditions = {(3, frozenset.intersection(*map(frozenset, chosen)))}
            if set().union(*chosen) == everything:
                for k in range(size):
                    others = [*chosen[:k], *chosen[k + 1 :]]
                    conditions.add((1, frozenset(chosen[k] - set().union(*others))))
                    conditions.add((2, frozenset(everything.intersection(*others) - chosen[k])))
            for condition, left in conditions:
                if len(left) == 1:
                    found[min(left)].add(condition)
    return tuple(map(frozenset, found))


@pytest.mark.parametrize("n", [3, 4, 5])
def test_families(n):
    covered = {name: covering_conditions(family(n)) for name, family in FAMILIES.items()}
    assert all(3 in one for one in covered["cyclic"])
    assert all(3 in one for one in covered["complement"])
    # Column i + 1 of a triangular support lies inside column i: only the first latent is an intersection.
    assert [3 in one for one in covered["triangular"]] == [True, *[False] * (n - 1)]
    assert all({1, 2} & one for one in covered["triangular"][1:])
    assert not any(covered["dense"])
    assert not covered["duplicated"][0]
    assert not covered["duplicated"][1]
    diverse = [name for name, family in FAMILIES.items() if sufficiently_diverse(family(n))]
    assert set(diverse) >= {"cyclic", "complement", "triangular"}
    assert not {"dense", "duplicated"} & set(diverse)
    if n > 3:
        assert "groups" not in diverse


def test_random_supports_are_judged_as_by_sets():
    rng = np.random.default_rng(0)
    for _ in range(60):
        support = rng.random((rng.integers(2, 6), rng.integers(2, 5))) < 0.6
        assert covering_conditions(support) == by_sets(support)


def test_with_three_latents_the_assumption_means_distinct_columns_and_with_four_it_does_not():
    def invertible(support):
        return any(all(support[range(len(support)), order]) for order in permutations(range(len(support))))

    for code in range(2**9):
        support = np.array([code >> bit & 1 for bit in range(9)], bool).reshape(3, 3)
        if invertible(support):
            distinct = len(set(map(tuple, support.T))) == 3
            assert sufficiently_diverse(support) == distinct
    rng = np.random.default_rng(0)
    drawn = rng.random((400, 4, 4)) < 0.6
    differ = [
        support
        for support in drawn
        if invertible(support) and len(set(map(tuple, support.T))) == 4 and not sufficiently_diverse(support)
    ]
    assert differ


def test_too_many_observed_variables_are_refused():
    with pytest.raises(UserError, match="16 observed variables, not 17"):
        covering_conditions(np.ones((17, 2)))
