"""The graph among the latents."""

import numpy as np
import pytest

from pdgmm.analysis.diagnostics.edges import latent_graph

RNG = np.random.default_rng(6)


def collider(samples):
    """``0 -> 2 <- 1``, and 3 on its own."""
    z = RNG.normal(size=(samples, 4))
    z[:, 2] += z[:, 0] + z[:, 1]
    return z


def everything_active(z):
    return np.ones(z.shape, dtype=bool)


def found_graph(*latents_refits_active):
    return latent_graph(*latents_refits_active, alpha=0.01, seed=0)


def edges(found):
    return [(edge.begin, edge.end, edge.directed, edge.stability) for edge in found.edges]


def test_the_arrows_of_a_collider_are_found_again_in_other_orders():
    z = collider(2000)
    refits = [z[:, [3, 1, 0, 2]] * [1, -1, 2, 1], z[:, [2, 0, 3, 1]], z[:, ::-1], -z]
    found = found_graph(z, refits, everything_active(z))
    assert edges(found) == [(1, 3, True, 1), (2, 3, True, 1)]
    assert found.samples == 2000
    assert "2 of 2 edges found again" in found.sentence


def test_stability_is_the_share_of_refits():
    z = collider(2000)
    broken = z.copy()
    broken[:, 2] = RNG.normal(size=2000) + 1.5 * z[:, 0] + 0.05 * z[:, 1]
    broken[:, 1] = RNG.permutation(z[:, 1])
    found = found_graph(z, [z, broken, z, z], everything_active(z))
    assert edges(found) == [(1, 3, True, 0.75), (2, 3, True, 0.75)], (
        "without the collider 1 -> 3 is a mere line"
    )


def test_an_undirected_edge_counts_wherever_the_two_are_joined():
    z = RNG.normal(size=(1000, 2))
    z[:, 1] += z[:, 0]
    found = found_graph(z, [z, z[:, ::-1]], everything_active(z))
    assert edges(found) == [(1, 2, False, 1.0)]


def test_samples_with_every_latent_active_are_taken_where_there_are_enough():
    z = collider(1000)
    active = everything_active(z)
    active[300:, 0] = False
    z[~active] = 0.0
    found = found_graph(z, [z], active)
    assert found.samples == 300
    active[150:, 0] = False
    found = found_graph(z, [z], active)
    assert found.samples == 1000
    assert "Fewer than 200 samples" in found.sentence


@pytest.mark.parametrize("n", [1, 3])
def test_independent_latents_have_no_edges(n):
    z = np.random.default_rng(n).normal(size=(1000, n))
    found = found_graph(z, [z], everything_active(z))
    assert found.edges == []
    assert "No latents depend on each other" in found.sentence
