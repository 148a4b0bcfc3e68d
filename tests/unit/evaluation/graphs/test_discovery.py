import random

import numpy as np
import pytest
from causallearn.search.ConstraintBased.PC import pc
from causallearn.utils.cit import CIT

from pdgmm.data.scm import LinearScm, erdos_renyi_dag
from pdgmm.errors import UserError
from pdgmm.evaluation.graphs import GRAPHS, graph_class
from pdgmm.evaluation.graphs.boss import Boss
from pdgmm.evaluation.graphs.cpdag import cpdag_of_dag, skeleton
from pdgmm.evaluation.graphs.discovery import discover, matched
from pdgmm.evaluation.graphs.graph_scores import shd
from pdgmm.evaluation.graphs.pc import FisherZ, Pc


def strong_scm(n, k, seed, samples=20_000):
    """A DAG and samples of a linear SCM with effects of 0.6 to 1."""
    rng = np.random.default_rng(seed)
    dag = erdos_renyi_dag(n, k, rng)
    return dag, LinearScm(dag * rng.uniform(0.6, 1.0, dag.shape)).sample(samples, rng)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_method_sees_the_first_samples_only_where_it_is_told_so(name):
    _, latents = strong_scm(5, 1, seed=3, samples=2000)
    more = np.vstack([latents, 30 * np.random.default_rng(0).normal(size=(500, 5))])
    told, all_of_them = graph_class(name)(samples=2000), graph_class(name)()
    np.testing.assert_array_equal(discover(told, more, 0).graph, discover(all_of_them, latents, 0).graph)
    assert (discover(told, more, 0).graph != discover(all_of_them, more, 0).graph).any()
    with pytest.raises(UserError, match="8 samples are too few.*or samples of the graph's method"):
        discover(graph_class(name)(samples=8), latents, 0)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(
    "edges",
    [
        [(4, 0), (0, 3), (3, 1), (2, 5)],
        [(4, 2), (0, 2), (2, 3), (3, 1)],
        [(0, 1), (0, 2), (1, 3), (2, 3), (3, 5)],
    ],
    ids=["chains", "below a collider", "diamond"],
)
def test_plenty_of_samples_give_the_cpdag(name, edges):
    # Graphs without triangles: in a triangle two equally strong paths can cancel.
    dag = np.zeros((6, 6), dtype=np.uint8)
    dag[tuple(np.transpose(edges))] = 1
    z = LinearScm(0.8 * dag).sample(20_000, np.random.default_rng(0))
    method = graph_class(name)(**({"alpha": 1e-4} if name == "pc" else {}))
    assert discover(method, z, seed=0).graph.tolist() == cpdag_of_dag(dag).tolist()


@pytest.mark.parametrize("name", GRAPHS)
def test_scale_and_sign_do_not_matter_and_nothing_is_printed(name, capfd):
    _, z = strong_scm(5, 1, seed=1, samples=2000)
    method = graph_class(name)()
    again = discover(method, z * [1, -2, 3, 1e3, -1e-3] + 5, seed=0)
    assert (again.graph == discover(method, z, seed=0).graph).all()
    assert capfd.readouterr() == ("", "")


def test_pc_with_open_conflicts_does_not_depend_on_the_order_of_the_variables():
    contradicted = 0
    method = Pc(alpha=0.2, conflicts="open")
    for seed in range(6):
        _, z = strong_scm(8, 2, seed, samples=200)
        found = discover(method, z, seed=0)
        order = np.random.default_rng(seed).permutation(8)
        permuted = discover(method, z[:, order], seed=0)
        assert (permuted.graph == found.graph[np.ix_(order, order)]).all()
        contradicted += found.notes["contradicted_edges"]
    assert contradicted > 0, "the case that is hard to get right did not occur"


def test_pc_is_causal_learns_where_nothing_is_contradicted():
    compared = 0
    for seed in range(8):
        _, z = strong_scm(7, 1, seed, samples=300)
        found = discover(Pc(), z, seed=0)
        if found.notes["contradicted_edges"] == 0:
            theirs = pc(z, 0.05, show_progress=False).G.graph
            assert (found.graph == (theirs == -1)).all()
            compared += 1
    assert compared > 4


def test_the_test_of_partial_correlations_is_causal_learns():
    _, z = strong_scm(5, 2, seed=0, samples=300)
    ours, theirs = FisherZ(np.corrcoef(z.T), 300, None), CIT(z, "fisherz")
    for x, y, given in [(0, 1, ()), (0, 1, (2,)), (3, 1, (0, 4)), (2, 4, (0, 1, 3))]:
        assert ours(x, y, given) == pytest.approx(theirs(x, y, given), abs=1e-12)
    assert ours.tests == 4


def test_too_many_tests_limit_the_conditions():
    _, z = strong_scm(8, 3, seed=0)
    whole = discover(Pc(), z, seed=0)
    assert whole.notes["most_conditions"] is None
    limited = discover(Pc(most_tests=200), z, seed=0)
    assert limited.notes["most_conditions"] == 0
    dependent = np.abs(np.corrcoef(z.T)) > 0.05
    np.fill_diagonal(dependent, False)
    assert (skeleton(limited.graph) >= dependent).all()
    assert skeleton(limited.graph).sum() > skeleton(whole.graph).sum()


@pytest.mark.parametrize("name", GRAPHS)
def test_constant_and_duplicate_latents_are_handled_and_noted(name):
    _, z = strong_scm(4, 1, seed=0, samples=3000)
    degenerate = np.column_stack([z, np.full(len(z), 0.1), -2 * z[:, 0] + 1, z[:, 1] + z[:, 2]])
    found = discover(graph_class(name)(), degenerate, seed=0)
    assert found.notes["constant"] == [4]
    assert found.notes["duplicates"] == [[0, 5]]
    assert not skeleton(found.graph)[4].any()
    assert skeleton(found.graph)[0, 5]


def test_boss_leaves_the_global_random_numbers_alone():
    _, z = strong_scm(4, 1, seed=0, samples=500)
    random.seed(1)
    expected = random.random()
    random.seed(1)
    discover(Boss(), z, seed=0)
    assert random.random() == expected


def test_matching_undoes_permutation_sign_and_surplus_columns():
    dag, z = strong_scm(5, 1, seed=2)
    rng = np.random.default_rng(0)
    order = rng.permutation(5)
    z_hat = np.column_stack([rng.normal(size=len(z)), (z * [1, -1, 2, -3, 1])[:, order]])
    restored = matched(z, z_hat)
    for i in range(5):
        assert np.corrcoef(z[:, i], restored[:, i])[0, 1] == pytest.approx(1.0)
    assert shd(discover(Pc(alpha=1e-4), restored, seed=0).graph, cpdag_of_dag(dag)) == 0
