import gadjid
import numpy as np
import pytest
from enumeration import all_dags, enumerated_cpdag, equivalence_classes

from pdgmm.data.scm import erdos_renyi_dag
from pdgmm.evaluation.graphs.cpdag import cpdag_of_dag, skeleton, undirected
from pdgmm.evaluation.graphs.graph_scores import ancestor_aid, graph_scores, shd, skeleton_scores


def edges(graph):
    """The edges as text, pair by pair: ``{(0, 1): "->"}``."""
    marks = {(1, 0): "->", (0, 1): "<-", (1, 1): "--"}
    n = len(graph)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if graph[i, j] or graph[j, i]]
    return {(i, j): marks[int(graph[i, j]), int(graph[j, i])] for i, j in pairs}


def random_pairs(count):
    """CPDAGs of enumerated classes of four variables, two by two."""
    rng = np.random.default_rng(0)
    classes = equivalence_classes(4)
    picks = rng.integers(len(classes), size=(count, 2))
    return [(enumerated_cpdag(classes[a]), enumerated_cpdag(classes[b])) for a, b in picks]


def test_shd_and_skeleton_scores_against_edge_lists():
    for true, found in random_pairs(200):
        real, claimed = edges(true), edges(found)
        assert shd(true, found) == sum(real.get(p) != claimed.get(p) for p in real.keys() | claimed.keys())
        assert shd(true, found) == gadjid.shd(_gadjid(true), _gadjid(found))[1]
        scores = skeleton_scores(true, found)
        right = len(real.keys() & claimed.keys())
        if real and claimed:
            assert scores["skeleton_precision"] == pytest.approx(right / len(claimed))
            assert scores["skeleton_recall"] == pytest.approx(right / len(real))
            assert scores["skeleton_f1"] == pytest.approx(2 * right / (len(real) + len(claimed)))


def test_a_perfect_graph_and_empty_ones():
    true = cpdag_of_dag(erdos_renyi_dag(10, 2, np.random.default_rng(0)))
    perfect = graph_scores(true, true)
    assert perfect == {
        "shd": 0,
        "skeleton_precision": 1.0,
        "skeleton_recall": 1.0,
        "skeleton_f1": 1.0,
        "aid": 0.0,
        "is_cpdag": True,
    }
    empty = np.zeros_like(true)
    nothing = graph_scores(true, empty)
    assert (nothing["shd"], nothing["skeleton_f1"], nothing["skeleton_precision"]) == (20, 0.0, 0.0)
    assert nothing["aid"] > 0
    assert skeleton_scores(empty, empty)["skeleton_f1"] == 1.0
    assert skeleton_scores(empty, true)["skeleton_recall"] == 0.0


def test_aid_of_dags_without_undirected_edges_by_hand():
    # 0 -> 1 <- 2: both effects are there. A graph without edges denies both: 2 of 6 effects are wrong.
    collider = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]], dtype=np.uint8)
    assert ancestor_aid(collider, np.zeros((3, 3), dtype=np.uint8)) == pytest.approx(2 / 6)


def test_a_superfluous_edge_may_leave_every_effect_right_and_a_missing_one_cannot():
    classes = [enumerated_cpdag(members) for members in equivalence_classes(3)]
    for true in classes:
        assert ancestor_aid(true, true) == 0
        for found in classes:
            if (skeleton(true) & ~skeleton(found)).any() and not undirected(true).any():
                assert ancestor_aid(true, found) > 0
    empty, collider = np.zeros((3, 3), dtype=np.uint8), np.zeros((3, 3), dtype=np.uint8)
    collider[[0, 2], 1] = 1
    assert ancestor_aid(empty, collider) == 0


def test_a_graph_that_is_no_cpdag_is_scored_all_the_same():
    cycle = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]], dtype=np.uint8)
    for dag in all_dags(4)[::40]:
        scores = graph_scores(cpdag_of_dag(dag), cycle)
        assert not scores["is_cpdag"]
        assert 0 <= scores["aid"] <= 1


def _gadjid(graph):
    return np.where((graph == 1) & (graph.T == 1), 2, graph).astype(np.int8)
