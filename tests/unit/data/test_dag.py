import numpy as np
import pytest

from pdgmm.data.dag import erdos_renyi_dag, random_weights


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(("n", "k", "edges"), [(10, 0, 0), (10, 1, 10), (40, 3, 120), (5, 2, 10), (5, 3, 10)])
def test_number_of_edges_is_n_times_k_up_to_the_complete_dag(n, k, edges):
    assert erdos_renyi_dag(n, k, rng()).sum() == edges


@pytest.mark.parametrize("seed", range(10))
def test_acyclic(seed):
    adjacency = erdos_renyi_dag(12, 3, rng(seed)).astype(float)
    # The n-th power counts the directed walks of length n; only a cycle makes one that long.
    assert not np.linalg.matrix_power(adjacency, 12).any()


def test_every_ordered_pair_is_equally_likely_an_edge():
    draws = 3000
    generator = rng()
    counts = sum(erdos_renyi_dag(4, 1, generator).astype(int) for _ in range(draws))
    # Four of the six pairs, in either direction: each ordered pair has probability 1/3.
    off_diagonal = counts[~np.eye(4, dtype=bool)] / draws
    assert np.abs(off_diagonal - 1 / 3).max() < 4 * np.sqrt(2 / 9 / draws)
    assert np.diag(counts).sum() == 0


def test_weights_are_uniform_on_both_sides_of_the_gap():
    adjacency = np.triu(np.ones((80, 80), dtype=np.uint8), 1)
    weights = random_weights(adjacency, rng())
    assert ((weights != 0) == adjacency).all()
    drawn = weights[adjacency == 1]
    assert np.abs(drawn).min() >= 0.2
    assert np.abs(drawn).max() <= 1
    assert np.abs(drawn).mean() == pytest.approx(0.6, abs=0.02)
    assert (drawn > 0).mean() == pytest.approx(0.5, abs=0.04)
