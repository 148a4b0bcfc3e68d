"""The data of the study of DICA: mixtures with diverse influences, and simulated gene regulation."""

import numpy as np
import pytest
from pydantic import ValidationError

from pdgmm.data import gene_network
from pdgmm.data.gaussian_copula import dependent_uniform
from pdgmm.data.gene_regulation import GeneRegulation
from pdgmm.data.influence import Influence
from pdgmm.errors import UserError
from pdgmm.theory.diverse_influence import diversity

RNG = np.random.default_rng(0)


def test_the_copula_has_uniform_margins_and_its_correlation():
    u = dependent_uniform(40_000, 3, 0.5, np.random.default_rng(0))
    np.testing.assert_allclose(np.quantile(u, [0.1, 0.5, 0.9], axis=0).T, [[0.1, 0.5, 0.9]] * 3, atol=0.01)
    # The rank correlation of a Gaussian copula is 6 / pi asin(rho / 2).
    ranks = np.corrcoef(u.T)
    np.testing.assert_allclose(ranks[np.triu_indices(3, 1)], 6 / np.pi * np.arcsin(0.25), atol=0.02)


def test_the_jacobian_of_a_mixing_is_its_derivative():
    mixing = Influence(interaction=0.3).build(100).mixing
    t = RNG.uniform(-1, 1, size=(3, 4))
    step = 1e-6 * np.eye(4)
    differences = [(mixing(t + one) - mixing(t - one)) / 2e-6 for one in step]
    np.testing.assert_allclose(np.stack(differences, axis=2), mixing.jacobian(t), atol=1e-8)


@pytest.mark.parametrize(
    ("settings", "passes"),
    [
        ({"n": 3, "x_dim": 40}, True),
        ({"rows": "gaussian"}, False),
        ({"rows": "signs"}, False),
        ({"rotated": True}, False),
    ],
)
def test_the_facts_say_whether_influences_are_diverse(settings, passes):
    world = Influence(**settings).build(100)
    facts = world.structure().facts
    assert facts["diverse_influence"] is passes
    assert (facts["diverse_influence_inner"] > 1 - 1e-6) is passes
    t = RNG.uniform(-0.9, 0.9, size=(3, world.n_latents))
    turn = np.eye(world.n_latents) if world.rotation is None else world.rotation
    assert all(diversity(rows @ turn).sufficient is passes for rows in world.mixing.jacobian(t))


def test_rotated_latents_keep_what_is_mixed():
    world = Influence(rotated=True).build(100)
    arrays = world.sample("test", 50, RNG)
    np.testing.assert_allclose(arrays["source"] @ world.rotation, arrays["z"], atol=1e-5)
    np.testing.assert_allclose(world.mixing(arrays["source"]), arrays["x"], atol=1e-5)
    assert "source" not in Influence().build(100).sample("test", 5, RNG)


def test_too_few_rows_are_refused():
    with pytest.raises(UserError, match="8 rows with 4 latents"):
        Influence(x_dim=8).build(100)


def test_one_layer_is_an_affine_function_of_the_responses():
    world = GeneRegulation(genes=30, crosstalk=0.5).build(100)
    arrays = world.sample("test", 500, np.random.default_rng(0))
    s = arrays["z"].astype(float)
    (layer,) = world.layers
    response = s**2 / (s**2 + layer.half_responses**2)
    expected = np.zeros((500, 30))
    for gene, strengths in enumerate(layer.strengths):
        for strength, h in zip(strengths, response.T, strict=True):
            expected[:, gene] += abs(strength) * (h if strength > 0 else 1 - h) / 0.8
    np.testing.assert_allclose(arrays["x"], expected, rtol=1e-4)
    assert np.linalg.matrix_rank(expected - expected.mean(axis=0), tol=1e-6) == 5


def test_two_layers_are_regulated_by_each_other_and_curved():
    world = GeneRegulation(genes=40, layers=2).build(100)
    first, second = world.layers
    assert first.strengths.shape == (20, 5)
    assert second.strengths.shape == (20, 20)
    arrays = world.sample("test", 300, np.random.default_rng(0))
    x = arrays["x"].astype(float)
    np.testing.assert_allclose(second.rates(x[:, :20]) / 0.8, x[:, 20:], rtol=1e-4)
    assert np.linalg.matrix_rank(x - x.mean(axis=0), tol=0.1) > 5


def test_the_network_has_the_statistics_of_trrust():
    strengths = GeneRegulation(n=10, genes=1000).build(100).layers[0].strengths
    counts = np.bincount((strengths != 0).sum(axis=1))[1:] / 1000
    np.testing.assert_allclose(counts, [0.60, 0.25, 0.10, 0.03, 0.02], atol=0.05)
    edges = strengths[strengths != 0]
    assert (edges > 0).mean() == pytest.approx(0.6, abs=0.05)
    assert 1 <= np.abs(edges).min() < np.abs(edges).max() <= 5
    assert ((strengths != 0).sum(axis=0) > 0).all()


def test_the_langevin_equation_has_its_stationary_moments():
    world = GeneRegulation(n=2, genes=16, layers=2, noise="kinetic").build(100)
    s = np.tile(gene_network.factors(1, 2, 0.5, RNG), (1500, 1))
    steady = world.steady(s)
    x = world._kinetic(s.astype(np.float32), steady.astype(np.float32), np.random.default_rng(0))
    # Of genes far from 0 that factors regulate: mean P / d, variance P / d.
    far = [gene for gene in range(8) if steady[0, gene] > 3]
    assert far
    np.testing.assert_allclose(x.mean(axis=0)[far], steady[0, far], rtol=0.05)
    np.testing.assert_allclose(x.var(axis=0)[far], steady[0, far], rtol=0.15)


def test_gaussian_noise_is_a_tenth_of_a_genes_deviation():
    clean, noisy = (
        GeneRegulation(noise=noise).build(100).sample("test", 3000, np.random.default_rng(0))["x"]
        for noise in ("none", "gaussian")
    )
    np.testing.assert_allclose((noisy - clean).std(axis=0) / clean.std(axis=0), 0.1, rtol=0.1)


def test_too_few_genes_are_refused():
    with pytest.raises(ValidationError, match="use genes >= 10"):
        GeneRegulation(genes=9, layers=2)
