"""The graph among the latents."""

import json

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


def test_the_arrows_of_a_collider_are_found_again_in_other_orders():
    z = collider(2000)
    refits = [z[:, [3, 1, 0, 2]] * [1, -1, 2, 1], z[:, [2, 0, 3, 1]], z[:, ::-1], -z]
    found = latent_graph(z, refits, everything_active(z))
    assert [(e.start, e.end, e.directed, e.stability) for e in found.edges] == [
        (0, 2, True, 1),
        (1, 2, True, 1),
    ]
    assert found.samples == 2000
    assert "2 of 2 edges found again" in found.sentence


def test_stability_is_the_share_of_refits():
    z = collider(2000)
    broken = z.copy()
    broken[:, 2] = RNG.normal(size=2000) + 1.5 * z[:, 0] + 0.05 * z[:, 1]
    broken[:, 1] = RNG.permutation(z[:, 1])
    found = latent_graph(z, [z, broken, z, z], everything_active(z))
    shares = {(e.start, e.end): e.stability for e in found.edges}
    assert shares == {(0, 2): 0.75, (1, 2): 0.75}, "the arrow 1 -> 3 is a mere line without the collider"


def test_an_undirected_edge_counts_wherever_the_two_are_joined():
    z = RNG.normal(size=(1000, 2))
    z[:, 1] += z[:, 0]
    found = latent_graph(z, [z, z[:, ::-1]], everything_active(z))
    assert [(e.start, e.end, e.directed, e.stability) for e in found.edges] == [(0, 1, False, 1.0)]


def test_samples_with_every_latent_active_are_taken_where_there_are_enough():
    z = collider(1000)
    active = everything_active(z)
    active[300:, 0] = False
    z[~active] = 0.0
    found = latent_graph(z, [], active)
    assert (found.samples, found.all_active) == (300, True)
    active[150:, 0] = False
    found = latent_graph(z, [], active)
    assert (found.samples, found.all_active) == (1000, False)
    assert "Fewer than 200 samples have every latent active, so all 1000 were used" in found.sentence


def test_without_refits_the_stability_is_null():
    z = collider(500)
    part = json.loads(json.dumps(latent_graph(z, [], everything_active(z)).as_json(), allow_nan=False))
    assert list(part) == ["method", "alpha", "edges", "samples", "sentence"]
    assert part["edges"][0] == {"from": 1, "to": 3, "directed": True, "stability": None}


@pytest.mark.parametrize("n", [1, 3])
def test_independent_latents_have_no_edges(n):
    z = np.random.default_rng(n).normal(size=(1000, n))
    found = latent_graph(z, [z], everything_active(z))
    assert found.edges == ()
    assert "No latents depend on each other" in found.sentence
