from itertools import pairwise

import numpy as np
import pytest
import torch

from pdgmm.methods.vae.mixture_priors import MixturePrior
from pdgmm.methods.vae.mixture_start import em_step, fitted_mixture, mixture_claims
from pdgmm.methods.vae.posterior import Posterior


@pytest.fixture
def prior():
    torch.manual_seed(0)
    prior = MixturePrior(2, 3).double()
    with torch.no_grad():
        prior.means.normal_(std=2)
    return prior


@pytest.fixture
def posterior():
    torch.manual_seed(1)
    centres = torch.tensor([[-4.0, 0.0], [0.0, 4.0], [4.0, 0.0]]).double()
    mean = centres[torch.randint(3, (900,))] + torch.randn(900, 2).double()
    return Posterior(mean, torch.full((900, 2), -2.0).double())


@torch.no_grad()
def bound(prior, posterior):
    """The part of the bound that the mixture is in, with the best ``q(c | x)`` for the posteriors."""
    expected = prior.log_weights() + prior.expected_log_density(posterior.mean, posterior.log_variance.exp())
    return float(torch.logsumexp(expected, dim=1).mean())


def test_em_steps_never_lower_the_bound_and_end_where_it_is_flat(prior, posterior):
    values = [bound(prior, posterior)]
    for _ in range(60):
        em_step(prior, posterior.mean, posterior.log_variance.exp())
        values.append(bound(prior, posterior))
    assert all(after >= before - 1e-9 for before, after in pairwise(values))
    assert values[-1] > values[0] + 0.5
    expected = prior.log_weights() + prior.expected_log_density(posterior.mean, posterior.log_variance.exp())
    loss = -torch.logsumexp(expected, dim=1).mean()
    gradients = torch.autograd.grad(loss, list(prior.parameters()))
    assert all(gradient.abs().max() < 1e-3 for gradient in gradients)


def test_a_component_without_samples_stays(prior, posterior):
    with torch.no_grad():
        prior.means[0] = 1e3
        prior.log_variances.zero_()
    em_step(prior, posterior.mean, posterior.log_variance.exp())
    assert float(prior.means[0, 0].detach()) == 1e3
    assert all(torch.isfinite(parameter).all() for parameter in prior.parameters())


def test_the_likeliest_of_several_starts_is_kept():
    rng = np.random.default_rng(0)
    centres = rng.uniform(-10, 10, size=(12, 2))
    codes = np.concatenate([rng.normal(centre, 0.5, size=(60, 2)) for centre in centres])
    one, ten = (
        [fitted_mixture(codes, 12, seed, starts).score(codes) for seed in range(5)] for starts in (1, 10)
    )
    assert max(ten) - min(ten) < 0.02 < max(one) - min(one)
    assert min(ten) > min(one) + 0.02


def test_claims_are_the_law_of_the_prior(prior):
    claims = mixture_claims(prior)
    assert claims["mixture_weights"].sum() == pytest.approx(1)
    covariances = claims["mixture_covariances"]
    np.testing.assert_allclose(covariances[1], np.diag(prior.log_variances[1].exp().detach()))
    np.testing.assert_allclose(claims["mixture_means"], prior.means.detach())
