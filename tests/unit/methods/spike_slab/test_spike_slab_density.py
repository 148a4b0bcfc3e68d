import pytest
import torch

from pdgmm.methods.spike_slab.spike_slab_prior import (
    SpikeSlabPrior,
    WidthBounds,
    evaluate,
    fit_prior,
    log_density,
    m_step,
)

LOOSE = WidthBounds(torch.tensor(1e-3), torch.tensor(10.0))
TIGHT = WidthBounds(torch.tensor(0.1), torch.tensor(0.15))


def a_prior(dtype=torch.float64):
    columns = ([0.3, 0.7], [0.5, -1.0], [0.05, 0.2], [0.0, 0.4], [1.0, 2.0])
    return SpikeSlabPrior(*(torch.tensor(column, dtype=dtype)[:, None] for column in columns))


def some_latents(count=4000, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    active = torch.rand(2, count, generator=generator) < 0.5
    return torch.where(active, torch.randn(2, count, generator=generator), 0.5).to(dtype)


def test_the_density_is_the_mixture_of_two_normals():
    prior, y = a_prior(), some_latents(50)
    spike = torch.distributions.Normal(prior.centre, prior.width).log_prob(y).exp()
    slab = torch.distributions.Normal(prior.mean, prior.scale).log_prob(y).exp()
    expected = torch.log(prior.weight * spike + (1 - prior.weight) * slab)
    torch.testing.assert_close(log_density(prior, y), expected)
    torch.testing.assert_close(evaluate(prior, y).log_density, expected.mean(-1))


def test_score_and_curvature_are_the_derivatives_of_the_density():
    prior, y = a_prior(), some_latents(200).requires_grad_()
    (score,) = torch.autograd.grad(-log_density(prior, y).sum(), y, create_graph=True)
    (curvature,) = torch.autograd.grad(score.sum(), y)
    result = evaluate(prior, y.detach())
    torch.testing.assert_close(result.score, score.detach())
    torch.testing.assert_close(result.curvature, curvature)


@pytest.mark.parametrize("bounds", [LOOSE, TIGHT], ids=["loose", "tight"])
def test_an_em_step_never_lowers_the_likelihood(bounds):
    y = some_latents()
    prior = SpikeSlabPrior.wide(2, dtype=torch.float64).within(bounds)
    likelihoods = []
    for _ in range(30):
        result = evaluate(prior, y)
        likelihoods.append(result.log_density)
        prior = m_step(result.moments, bounds)
        ratio = prior.width / prior.scale
        assert (ratio >= bounds.lower - 1e-6).all()
        assert (ratio <= bounds.upper + 1e-6).all()
    gains = torch.stack(likelihoods).diff(dim=0)
    assert gains.min() > -1e-9
    assert gains.sum() > 0.01


def test_em_finds_where_the_spike_is():
    prior = fit_prior(some_latents(), SpikeSlabPrior.wide(2, dtype=torch.float64), TIGHT, 50)
    torch.testing.assert_close(prior.centre, torch.full((2, 1), 0.5, dtype=torch.float64), atol=0.02, rtol=0)
    torch.testing.assert_close(prior.weight, torch.full((2, 1), 0.5, dtype=torch.float64), atol=0.1, rtol=0)


def test_single_and_double_precision_agree():
    single = evaluate(a_prior(torch.float32), some_latents(dtype=torch.float32))
    double = evaluate(a_prior(), some_latents())
    torch.testing.assert_close(single.log_density.double(), double.log_density, atol=1e-4, rtol=0)
    torch.testing.assert_close(single.score.double(), double.score, atol=1e-2, rtol=1e-3)


def test_rescaled_and_shifted_priors_are_those_of_the_transformed_latents():
    prior, y = a_prior(), some_latents(20)
    moved = log_density(prior.shifted(torch.ones(2, 1)), y + 1)
    torch.testing.assert_close(moved, log_density(prior, y))
    scaled = log_density(prior.rescaled(), y / prior.scale) - torch.log(prior.scale)
    torch.testing.assert_close(scaled, log_density(prior, y))
