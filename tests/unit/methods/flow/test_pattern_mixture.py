import numpy as np
import torch
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

from pdgmm.methods.flow.pattern_mixture import PatternMixture
from pdgmm.methods.spike_slab.patterns import Supports


def mixture():
    generator = torch.Generator().manual_seed(0)
    root = torch.randn(3, 3, generator=generator, dtype=torch.float64)
    supports = Supports(
        active=torch.tensor([[1, 1, 0], [0, 1, 1]]).double(),
        weights=torch.tensor([0.7, 0.3]).double(),
        mean=torch.tensor([0.5, -0.2, 0.1]).double(),
        covariance=root @ root.T + torch.eye(3),
        width=torch.ones(3).double(),
    )
    return PatternMixture(supports, torch.tensor([0.2, 0.0, -0.1]).double(), torch.tensor([-1.0]).double())


def test_the_density_is_the_enumerated_mixture():
    prior, y = mixture(), np.random.default_rng(1).normal(size=(30, 4))
    covariance = prior.covariance.detach().numpy()
    centre, mean = prior.centre.detach().numpy(), prior.mean.detach().numpy()
    share = 0.1 + 0.2 / (1 + np.exp(3.0))
    terms = []
    for weight, active in zip([0.7, 0.3], prior.active.numpy(), strict=True):
        spikes = np.diag((1 - active) * share**2 * np.diag(covariance))
        component = multivariate_normal(
            centre + active * mean, np.outer(active, active) * covariance + spikes
        )
        terms.append(np.log(weight) + component.logpdf(y[:, :3]))
    expected = logsumexp(terms, axis=0) + norm(0, np.exp(-1)).logpdf(y[:, 3])
    found = prior.log_density(torch.from_numpy(y), 0.1).detach().numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_every_parameter_is_learned():
    prior = mixture()
    prior.log_density(torch.randn(50, 4, dtype=torch.float64), 0.1).mean().backward()
    assert all(parameter.grad.abs().max() > 0 for parameter in prior.parameters())
