"""Graphs of up to four variables, enumerated and compared from first principles."""

import itertools
from functools import cache

import numpy as np


def acyclic(graph):
    """Whether the powers of the adjacency matrix vanish."""
    return not np.linalg.matrix_power(graph.astype(int), len(graph)).any()


@cache
def all_dags(n):
    """Every DAG over n variables: 3 for two, 25 for three, 543 for four."""
    pairs = list(itertools.combinations(range(n), 2))
    dags = []
    for kinds in itertools.product(("none", "forward", "backward"), repeat=len(pairs)):
        graph = np.zeros((n, n), dtype=np.uint8)
        for (i, j), kind in zip(pairs, kinds, strict=True):
            graph[i, j], graph[j, i] = kind == "forward", kind == "backward"
        if acyclic(graph):
            dags.append(graph)
    return dags


def separated(dag, x, y, given):
    """d-separation, by the moral graph of the ancestors (Lauritzen)."""
    ancestors = {x, y, *given}
    while grown := {int(p) for node in ancestors for p in np.flatnonzero(dag[:, node])} - ancestors:
        ancestors |= grown
    moral = {node: set() for node in ancestors}
    for node in ancestors:
        parents = [int(p) for p in np.flatnonzero(dag[:, node])]
        for a, b in itertools.combinations([node, *parents], 2):
            moral[a].add(b)
            moral[b].add(a)
    reached, queue = {x}, [x]
    while queue:
        new = moral[queue.pop()] - reached - set(given)
        reached |= new
        queue += new
    return y not in reached


def independences(dag):
    """All statements "x and y are independent given S" that the DAG implies."""
    n = len(dag)
    return frozenset(
        (x, y, given)
        for x, y in itertools.combinations(range(n), 2)
        for size in range(n - 1)
        for given in itertools.combinations(sorted(set(range(n)) - {x, y}), size)
        if separated(dag, x, y, given)
    )


@cache
def equivalence_classes(n):
    """The DAGs over n variables, gathered by what they imply."""
    classes = {}
    for dag in all_dags(n):
        classes.setdefault(independences(dag), []).append(dag)
    return list(classes.values())


def enumerated_cpdag(members):
    """[i, j] = 1 where some DAG of the class has i -> j."""
    return np.maximum.reduce(members)
