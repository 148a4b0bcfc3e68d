"""Random directed acyclic graphs.

Orientation, here and in every file: ``adjacency[i, j] = 1`` and ``weights[i, j] != 0`` mean ``i -> j``.
"""

import numpy as np

SMALLEST_WEIGHT, LARGEST_WEIGHT = 0.2, 1.0
"""Edge weights are uniform on ±[0.2, 1]: no edge is too weak to be an edge."""


def erdos_renyi_dag(n: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """The adjacency matrix (n, n), uint8, of an ER-k graph: ``n * k`` edges among ``n`` nodes.

    The edges are a uniformly drawn set of pairs, each pointing forward in a uniformly drawn causal order.
    A DAG has at most n(n-1)/2 edges, so small n with large k gives the complete DAG instead of n * k edges.
    """
    sources, targets = np.triu_indices(n, k=1)
    edges = rng.choice(len(sources), size=min(n * k, len(sources)), replace=False)
    order = rng.permutation(n)
    adjacency = np.zeros((n, n), dtype=np.uint8)
    adjacency[order[sources[edges]], order[targets[edges]]] = 1
    return adjacency


def random_weights(adjacency: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Edge weights (n, n), float64: uniform on ±[0.2, 1] where there is an edge, 0 elsewhere."""
    size = rng.uniform(SMALLEST_WEIGHT, LARGEST_WEIGHT, adjacency.shape)
    sign = rng.choice([-1.0, 1.0], adjacency.shape)
    return np.where(adjacency, sign * size, 0.0)
