import numpy as np
import pytest
from causallearn.graph.Dag import Dag
from causallearn.graph.GraphNode import GraphNode
from causallearn.utils.DAG2CPDAG import dag2cpdag
from enumeration import acyclic, enumerated_cpdag, equivalence_classes

from pdgmm.data.scm import erdos_renyi_dag
from pdgmm.evaluation.graphs.cpdag import (
    completed_pattern,
    consistent_dag,
    cpdag_of_dag,
    repaired_cpdag,
    skeleton,
)


def graph(n, *edges):
    """``graph(3, "0>1", "1-2")``."""
    matrix = np.zeros((n, n), dtype=np.uint8)
    for edge in edges:
        i, j = int(edge[0]), int(edge[2])
        matrix[i, j] = 1
        matrix[j, i] = edge[1] == "-"
    return matrix


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_small_dag_against_its_enumerated_class(n):
    for members in equivalence_classes(n):
        expected = enumerated_cpdag(members)
        for dag in members:
            assert cpdag_of_dag(dag).tolist() == expected.tolist()
        assert any((consistent_dag(expected) == member).all() for member in members)
        assert repaired_cpdag(expected).tolist() == expected.tolist()


@pytest.mark.parametrize(("n", "k"), [(10, 1), (10, 3), (25, 2)])
def test_larger_dags_against_another_algorithm(n, k):
    for seed in range(5):
        dag = erdos_renyi_dag(n, k, np.random.default_rng(seed))
        nodes = [GraphNode(str(i)) for i in range(n)]
        other = Dag(nodes)
        for i, j in np.argwhere(dag):
            other.add_directed_edge(nodes[i], nodes[j])
        assert (cpdag_of_dag(dag) == (dag2cpdag(other).graph == -1)).all()


def test_an_edge_told_to_point_both_ways_is_undirected_and_counted():
    # 0 > 1 < 2 and 1 > 2 < 3 cannot both be: the edge between 1 and 2 stays open.
    edges = skeleton(graph(4, "0-1", "1-2", "2-3"))
    arrows = graph(4, "0>1", "2>1", "3>2").astype(bool) | graph(4, "1>2").astype(bool)
    found, contradicted = completed_pattern(edges, arrows)
    assert contradicted == 1
    assert found.tolist() == graph(4, "0>1", "1-2", "3>2").tolist()


@pytest.mark.parametrize(
    "edges", [["0>1", "1>2", "2>0"], ["0-1", "1-2", "2-3", "3-0"], ["0>1", "1-2", "3>2"]]
)
def test_a_graph_no_dag_agrees_with_is_repaired_on_its_skeleton(edges):
    broken = graph(4, *edges)
    dag = consistent_dag(broken)
    assert acyclic(dag)
    assert (skeleton(dag) == skeleton(broken)).all()
    cpdag = repaired_cpdag(broken)
    assert (repaired_cpdag(cpdag) == cpdag).all()
