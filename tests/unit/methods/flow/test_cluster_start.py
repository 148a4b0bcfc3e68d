"""Affine starts from clusters."""

import numpy as np
import pytest
import torch

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.gaussian_mixtures import Mixture
from pdgmm.fitting.whitening import principal_whitening
from pdgmm.methods.flow.cluster_start import diagonalising, spikes_of_clusters, start_from_clusters


def generator():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def mixture():
    """Three latents behind a matrix; the first two clusters have one at rest, at 2, and the third has all active."""
    rng = np.random.default_rng(0)
    mixing = torch.from_numpy(rng.normal(size=(3, 3))).float()
    variances = torch.tensor([[1e-4, 1.0, 2.0], [1.0, 1e-4, 0.5], [2.0, 1.0, 1e-4], [1.0, 2.0, 1.0]])
    means = torch.tensor([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    covariances = mixing @ torch.diag_embed(variances) @ mixing.T
    return mixing, Mixture(torch.full((4,), 0.25), means @ mixing.T, covariances)


def test_the_map_undoes_the_mixing_up_to_order_and_scale(mixture):
    mixing, clusters = mixture
    product = (diagonalising(clusters, generator()) @ mixing).abs()
    largest = product.amax(1, keepdim=True)
    assert sorted(product.argmax(1).tolist()) == [0, 1, 2]
    assert ((product / largest).sum(1) < 1.1).all()


def test_the_spikes_are_where_latents_rest(mixture):
    mixing, clusters = mixture
    prior = spikes_of_clusters(clusters, torch.linalg.inv(mixing))
    assert prior.weight[:, 0].tolist() == pytest.approx([0.25] * 3)
    assert prior.centre[:, 0].tolist() == pytest.approx([2.0] * 3, abs=1e-3)
    assert prior.width[:, 0].tolist() == pytest.approx([0.01] * 3, rel=0.05)
    assert prior.scale[:, 0].tolist() == pytest.approx(
        [(4 / 3) ** 0.5, (4 / 3) ** 0.5, (3.5 / 3) ** 0.5], rel=1e-3
    )


def test_far_resting_values_are_no_problem():
    world = MaskedScm(n=4, m=3, delta=3).build(seed=100)
    data = world.sample("train", 10_000, np.random.default_rng(0))
    white = torch.from_numpy(principal_whitening(data["x"], 4).apply(data["x"])).T.contiguous()
    found = start_from_clusters(white, 0, generator())
    assert mcc(data["z"], (found.unmixing @ white).T.numpy()).mcc > 0.95
    again = start_from_clusters(white, 0, generator())
    assert torch.equal(found.unmixing, again.unmixing)


def test_too_few_samples_give_no_start():
    assert start_from_clusters(torch.randn(4, 500), 0, generator()) is None
