import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal

from pdgmm.data.gmm import Gmm
from pdgmm.evaluation.r2 import r2
from pdgmm.fitting.gaussian_mixtures import Mixture, fitted_components, gaussian_log_densities
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.flow.flow_gmm import FlowGmm
from pdgmm.methods.flow.unseen_clusters import UnseenClusters
from pdgmm.models.coupling_flow import CouplingFlow


@pytest.fixture
def mixture():
    torch.manual_seed(0)
    factor = torch.randn(3, 2, 2, dtype=torch.float64)
    covariances = factor @ factor.mT + 0.1 * torch.eye(2, dtype=torch.float64)
    return Mixture(torch.tensor([0.2, 0.3, 0.5]).double(), torch.randn(3, 2).double(), covariances)


def test_densities_are_those_of_scipy_and_differentiable(mixture):
    y = torch.randn(20, 2, dtype=torch.float64, requires_grad=True)
    found = gaussian_log_densities(y, mixture.means, mixture.covariances)
    for j in range(3):
        expected = multivariate_normal(mixture.means[j], mixture.covariances[j]).logpdf(y.detach())
        np.testing.assert_allclose(found[:, j].detach(), expected, rtol=1e-9)
    assert torch.autograd.gradcheck(mixture.log_density, y)


def test_an_em_step_raises_the_likelihood_and_keeps_the_moments(mixture):
    y = torch.randn(500, 2, dtype=torch.float64) * torch.tensor([1.0, 3.0])
    once = mixture.updated(y)
    twice = once.updated(y)
    assert mixture.log_density(y).mean() < once.log_density(y).mean() < twice.log_density(y).mean()
    torch.testing.assert_close(once.weights @ once.means, y.mean(0))
    one = fitted_components(y, torch.ones(500, 1, dtype=torch.float64))
    torch.testing.assert_close(one.covariances[0], torch.cov(y.T, correction=0))


def test_unseen_clusters_prefer_the_flow_that_straightens_them():
    torch.manual_seed(0)
    cluster = torch.arange(4).repeat(500)
    z = torch.randn(2000, 2) * 0.5 + 3 * torch.randn(4, 2)[cluster]
    bent = torch.where(z < 0, 0.3 * z, z)
    judge = UnseenClusters(bent, cluster, 2)
    flows = [CouplingFlow(2, blocks=1, width=4) for _ in range(2)]
    with torch.no_grad():
        for flow in flows:
            flow.layers[0].weight.copy_(torch.eye(2))
        flows[1].layers[2].log_slope.fill_(-np.log(0.3))
    assert len(judge) == 4
    assert judge(flows[1], None) > judge(flows[0], None) + 0.1


@pytest.mark.slow
def test_it_comes_closer_to_an_affine_map_of_the_latents_than_the_observation():
    drawn = Gmm(n=5).build(100).sample("train", 20_000, np.random.default_rng(0))
    run = Run(seed=0)
    model = FlowGmm(steps=300, blocks=6, width=32).fit(Samples(drawn["x"], 5), run).model
    assert r2(drawn["z"], model.encode(drawn["x"])) > r2(drawn["z"], drawn["x"]) + 0.002
    assert run.notes["clusters_held_out"] == 5
    assert not run.notes["fell_back"]


def test_with_few_samples_it_leaves_the_observation_as_it_is(sparse_x):
    run = Run(seed=0)
    model = FlowGmm().fit(Samples(sparse_x[:150], sparse_x.shape[1]), run).model
    assert run.notes["fell_back"]
    centred = sparse_x - sparse_x[:150].mean(0)
    code = model.encode(sparse_x)
    np.testing.assert_allclose(code - code[:150].mean(0), centred, atol=1e-3)
