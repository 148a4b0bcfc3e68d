"""Spikes and slabs: each latent for itself, slabs that depend on each other, and the prior of the flow."""

import pytest
import torch
from torch.distributions import Normal

from pdgmm.methods.spike_slab.dependent_prior import DependentPrior
from pdgmm.methods.spike_slab.joint_slab import JointSlabPrior
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
both_bounds = pytest.mark.parametrize("bounds", [LOOSE, TIGHT], ids=["loose", "tight"])


def a_prior(dtype=torch.float64, width=0.1):
    weight, centre, width = [0.3, 0.7, 0.5], [0.5, -1.0, 0.0], [width, 2 * width, width]
    columns = (weight, centre, width, [0.0, 0.4, -0.2], [1.0, 2.0, 0.7])
    spikes = SpikeSlabPrior(*(torch.tensor(column, dtype=dtype)[:, None] for column in columns))
    return DependentPrior(spikes, torch.tensor([[0, 0, 0], [0.8, 0, 0], [-0.5, 0.3, 0]], dtype=dtype))


def some_latents(count=3000, dtype=torch.float64):
    """Latents (3, count), each at 0.5 in half of the samples; while active the second follows the first."""
    generator = torch.Generator().manual_seed(0)
    free = torch.randn(3, count, generator=generator)
    free[1] = 0.9 * free[0] + 0.4 * free[1]
    return torch.where(torch.rand(3, count, generator=generator) < 0.5, free, 0.5).to(dtype)


def density(prior, y):
    """The formula in the docstring of the dependent prior, (samples,)."""
    spikes = prior.spikes
    slab_mean = spikes.mean + prior.dependence @ (y - spikes.centre)
    spike = torch.log(spikes.weight) + Normal(spikes.centre, spikes.width).log_prob(y)
    slab = torch.log1p(-spikes.weight) + Normal(slab_mean, spikes.scale).log_prob(y)
    return torch.logaddexp(spike, slab).sum(0)


def integral(log_density, width):
    """Over the plane."""
    axis = torch.linspace(-width, width, 1401, dtype=torch.float64)
    return float(log_density(torch.cartesian_prod(axis, axis)).exp().sum() * (axis[1] - axis[0]) ** 2)


def test_the_density_and_its_score_are_those_of_the_formula():
    prior, y = a_prior(), some_latents(200).requires_grad_()
    result = prior.evaluate(y.detach())
    expected = density(prior, y)
    torch.testing.assert_close(result.log_density.sum(), expected.mean().detach())
    torch.testing.assert_close(result.score, torch.autograd.grad(-expected.sum(), y)[0])
    pair = DependentPrior(prior.spikes[:2], prior.dependence[:2, :2])
    assert integral(lambda grid: density(pair, grid.T), 14) == pytest.approx(1, abs=1e-3)


def test_without_dependence_it_is_the_product_of_the_single_densities():
    spikes, y = a_prior().spikes, some_latents(100).requires_grad_()
    alone = DependentPrior.from_independent(spikes)
    torch.testing.assert_close(log_density(spikes, y).sum(0), density(alone, y))
    (score,) = torch.autograd.grad(-log_density(spikes, y).sum(), y, create_graph=True)
    (curvature,) = torch.autograd.grad(score.sum(), y)
    for found in (evaluate(spikes, y.detach()), alone.evaluate(y.detach())):
        torch.testing.assert_close(found.log_density, log_density(spikes, y.detach()).mean(-1))
        torch.testing.assert_close(found.score, score.detach())
        torch.testing.assert_close(found.curvature, curvature)


@both_bounds
def test_an_em_step_never_lowers_the_likelihood(bounds):
    y = some_latents()
    single = SpikeSlabPrior.wide(3, dtype=torch.float64).within(bounds)
    dependent = DependentPrior.from_independent(single)
    likelihoods = []
    for _ in range(40):
        one, other = evaluate(single, y), dependent.evaluate(y)
        likelihoods.append(torch.stack([one.log_density.sum(), other.log_density.sum()]))
        single, dependent = m_step(one.moments, bounds), dependent.updated(other, y, bounds)
        ratio = single.width / single.scale
        assert bounds.lower - 1e-6 <= ratio.min() <= ratio.max() <= bounds.upper + 1e-6
    gains = torch.stack(likelihoods).diff(dim=0)
    # The ridge of the regression is the only thing that may cost anything.
    assert gains[:, 0].min() > -1e-9
    assert gains[:, 1].min() > -1e-5
    assert gains.sum(0).min() > 0.01


def test_em_finds_the_spikes_and_the_dependence():
    y = some_latents(20_000)
    wide = SpikeSlabPrior.wide(3, dtype=torch.float64)
    prior = fit_prior(y, wide, TIGHT, 50)
    half = torch.full((3, 1), 0.5, dtype=torch.float64)
    torch.testing.assert_close(prior.centre, half, atol=0.02, rtol=0)
    torch.testing.assert_close(prior.weight, half, atol=0.1, rtol=0)
    prior = DependentPrior.from_independent(wide).within(TIGHT)
    for _ in range(60):
        prior = prior.updated(prior.evaluate(y), y, TIGHT)
    assert prior.evaluate(y).log_density.sum() > evaluate(prior.spikes, y).log_density.sum() + 0.1
    assert prior.dependence.triu().abs().max() == 0
    assert prior.dependence[2].abs().max() < 0.1, "the third latent follows nothing"


def test_single_and_double_precision_agree():
    results = []
    for dtype in (torch.float32, torch.float64):
        prior, y = a_prior(dtype), some_latents(dtype=dtype)
        for result in (prior.evaluate(y), evaluate(prior.spikes, y)):
            dependence = prior.updated(prior.evaluate(y), y, TIGHT).dependence
            results.append([part.double() for part in (result.log_density, dependence, result.score)])
    for single, double in zip(results[:2], results[2:], strict=True):
        torch.testing.assert_close(single[:2], double[:2], atol=1e-3, rtol=0)
        torch.testing.assert_close(single[2], double[2], atol=1e-2, rtol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_everything_is_finite_at_the_smallest_width(dtype):
    narrow = WidthBounds(torch.tensor(1e-3), torch.tensor(1e-3))
    prior, y = a_prior(dtype, width=1e-3), 10 * some_latents(dtype=dtype)
    for _ in range(5):
        result = prior.evaluate(y)
        assert all(torch.isfinite(part).all() for part in (*result[:3], *result.moments))
        prior = prior.updated(result, y, narrow)
        assert torch.isfinite(prior.dependence).all()
        assert (prior.spikes.scale > 0).all()


def test_rescaled_and_shifted_priors_are_those_of_the_transformed_latents():
    prior, y = a_prior(), some_latents(20)
    scale = prior.spikes.scale
    moved = density(prior.rescaled(), y / scale) - torch.log(scale).sum()
    torch.testing.assert_close(moved, density(prior, y))
    shifted = log_density(prior.spikes.shifted(torch.ones(3, 1)), y + 1)
    torch.testing.assert_close(shifted, log_density(prior.spikes, y))


# ---- the prior of the flow


def joint_prior(latents, residuals=0):
    torch.manual_seed(0)
    prior = JointSlabPrior(latents, residuals)
    with torch.no_grad():
        for parameter in prior.parameters():
            parameter.normal_(std=0.5)
    return prior.double().requires_grad_(False)


def test_the_joint_prior_is_the_product_of_the_single_densities_where_nothing_depends():
    prior = joint_prior(3)
    prior.dependence.zero_()
    parts = torch.sigmoid(prior.log_odds), prior.centre, prior.widths(0.05), prior.mean, prior.log_scale.exp()
    single = SpikeSlabPrior(*(part[:, None] for part in parts))
    y = torch.randn(20, 3, dtype=torch.float64)
    torch.testing.assert_close(prior.log_density(y, 0.05), log_density(single, y.T).sum(0))


def test_the_joint_prior_integrates_to_one_and_single_precision_is_enough():
    prior = joint_prior(1, residuals=1)
    assert integral(lambda grid: prior.log_density(grid, 0.1), 12) == pytest.approx(1, abs=1e-3)
    prior, y = joint_prior(5), torch.randn(50, 5, dtype=torch.float64)
    expected = prior.log_density(y, 0.05)
    found = prior.float().log_density(y.float(), 0.05).double()
    torch.testing.assert_close(found, expected, atol=1e-3, rtol=1e-4)


def test_dependence_makes_dependent_latents_likelier():
    y = torch.randn(500, 2, generator=torch.Generator().manual_seed(0))
    y[:, 1] = y[:, 0] + 0.3 * y[:, 1]
    prior = JointSlabPrior(2)
    with torch.no_grad():
        prior.log_odds.fill_(-5)
        prior.mean.zero_()
        independent = prior.log_density(y, 0.05).mean()
        prior.dependence[1, 0] = 1
        prior.log_scale[1] = -1
        assert prior.log_density(y, 0.05).mean() > independent + 0.5


def test_gradients_of_the_joint_prior_are_finite_at_the_smallest_width():
    prior = JointSlabPrior(4, residuals=1)
    prior.width_logit.data.fill_(-30)
    y = 10 * torch.randn(100, 5)
    y[:10] = 0
    prior.log_density(y.requires_grad_(), 1e-3).mean().backward()
    assert all(torch.isfinite(tensor.grad).all() for tensor in (y, *prior.parameters()))
