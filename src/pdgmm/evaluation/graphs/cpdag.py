"""Partially directed graphs as matrices, and the CPDAG of a DAG.

A graph over n variables is an (n, n) uint8 matrix: ``[i, j] = 1`` and ``[j, i] = 0`` is ``i -> j``, both 1 is the
undirected edge ``i - j``, both 0 is no edge. A DAG is the case without undirected edges.

The completed partially directed acyclic graph (CPDAG) of a DAG represents all DAGs with the same conditional
independences: it has their common skeleton, and an edge is directed if it points the same way in all of them.
"""

import numpy as np


def directed(graph: np.ndarray) -> np.ndarray:
    """(n, n) bool: ``i -> j``."""
    return (graph == 1) & (graph.T == 0)


def undirected(graph: np.ndarray) -> np.ndarray:
    """(n, n) bool, symmetric: ``i - j``."""
    return (graph == 1) & (graph.T == 1)


def skeleton(graph: np.ndarray) -> np.ndarray:
    """(n, n) bool, symmetric: an edge of any kind."""
    return (graph == 1) | (graph.T == 1)


def cpdag_of_dag(dag: np.ndarray) -> np.ndarray:
    """The CPDAG (n, n) of a DAG: its colliders ``i -> j <- k`` with i, k not adjacent, and what follows from them.

    Verma and Pearl (1990): DAGs are equivalent if they share skeleton and such colliders; Meek (1995): rules 1 to 3
    orient every edge on which the DAGs of the class agree.
    """
    arrows = directed(dag)
    colliders = arrows & _any(_apart(skeleton(dag)), arrows)
    return completed_pattern(skeleton(dag), colliders)[0]


def completed_pattern(edges: np.ndarray, arrows: np.ndarray) -> tuple[np.ndarray, int]:
    """A graph with the skeleton ``edges`` (n, n), the ``arrows`` (n, n) of its colliders, and what follows from them.

    Meek's rules, all of them applied to the whole graph at once, until nothing changes:

    1. ``i -> j - k``, i and k not adjacent: ``j -> k``, otherwise j would be a collider.
    2. ``i -> j -> k`` and ``i - k``: ``i -> k``, otherwise there would be a cycle.
    3. ``i - j -> l`` and ``i - k -> l``, j and k not adjacent, ``i - l``: ``i -> l``.

    Arrows found from samples may contradict each other. An edge that should point both ways stays undirected for
    good, so the result does not depend on the order of the variables. The number of such edges is also returned.
    """
    contradicted = arrows & arrows.T
    arrows = arrows & ~contradicted
    apart = _apart(edges)
    while True:
        free = edges & ~arrows & ~arrows.T & ~contradicted
        demanded = free & (_any(arrows.T, apart) | _any(arrows, arrows) | _third_rule(free, arrows, apart))
        if not demanded.any():
            return (edges & ~arrows.T).astype(np.uint8), int(contradicted.sum()) // 2
        contradicted |= demanded & demanded.T
        arrows |= demanded & ~demanded.T


def consistent_dag(graph: np.ndarray) -> np.ndarray:
    """A DAG with the graph's skeleton, all its arrows and no new collider, if there is one (Dor and Tarsi, 1992).

    For a graph found from samples it may not exist. Then the DAG keeps the skeleton and breaks as little as
    possible at each step: the next sink is the variable with the fewest arrows out of it and the fewest new
    colliders.
    """
    rest = np.array(graph, dtype=np.uint8)
    dag = np.zeros_like(rest)
    remaining = list(range(len(rest)))
    while remaining:
        sink = min(remaining, key=lambda node: (_cost_of_sink(rest, node), node))
        neighbours = skeleton(rest)[sink]
        dag[neighbours, sink] = 1
        rest[sink, :] = rest[:, sink] = 0
        remaining.remove(sink)
    return dag


def repaired_cpdag(graph: np.ndarray) -> np.ndarray:
    """The graph itself if it is a CPDAG, otherwise a CPDAG near it with the same skeleton."""
    return cpdag_of_dag(consistent_dag(graph))


def _cost_of_sink(graph: np.ndarray, node: int) -> int:
    """What making the node a sink breaks: arrows out of it, and new colliders at it."""
    neighbours = skeleton(graph)[node]
    open_ends = undirected(graph)[node]
    # Every node that is joined without an arrow must be adjacent to all other neighbours.
    colliders = _apart(skeleton(graph))[np.ix_(open_ends, neighbours)].sum()
    return int(directed(graph)[node].sum()) + int(colliders)


def _apart(edges: np.ndarray) -> np.ndarray:
    """(n, n) bool: two different variables without an edge between them."""
    return ~edges & ~np.eye(len(edges), dtype=bool)


def _any(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(n, n) bool: there is a k with ``first[i, k]`` and ``second[k, j]``."""
    return first.astype(np.float32) @ second.astype(np.float32) > 0


def _third_rule(free: np.ndarray, arrows: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """(n, n) bool: for i and l there are j and k, not adjacent, with ``i - j -> l`` and ``i - k -> l``."""
    found = np.zeros_like(free)
    for i, joined in enumerate(free):
        middle = joined[:, None] & arrows
        found[i] = (middle & _any(apart, middle)).any(axis=0)
    return found
