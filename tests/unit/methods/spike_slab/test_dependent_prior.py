"""Spikes and slabs whose slabs depend on each other."""

import pytest
import torch

from pdgmm.methods.spike_slab.dependent_prior import DependentPrior
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, WidthBounds, evaluate

LOOSE = WidthBounds(torch.tensor(1e-3), torch.tensor(10.0))
TIGHT = WidthBounds(torch.tensor(0.1), torch.tensor(0.15))


def a_prior(dtype=torch.float64, width=0.1):
    columns = (
        [0.3, 0.7, 0.5],
        [0.5, -1.0, 0.0],
        [width, 2 * width, width],
        [0.0, 0.4, -0.2],
        [1.0, 2.0, 0.7],
    )
    spikes = SpikeSlabPrior(*(torch.tensor(column, dtype=dtype)[:, None] for column in columns))
    dependence = torch.tensor([[0, 0, 0], [0.8, 0, 0], [-0.5, 0.3, 0]], dtype=dtype)
    return DependentPrior(spikes, dependence)


def some_latents(count=3000, dtype=torch.float64):
    """Latents (3, count), each at 0.5 in half of the samples; while active the second follows the first."""
    generator = torch.Generator().manual_seed(0)
    free = torch.randn(3, count, generator=generator)
    free[1] = 0.9 * free[0] + 0.4 * free[1]
    active = torch.rand(3, count, generator=generator) < 0.5
    return torch.where(active, free, 0.5).to(dtype)


def log_density(prior, y):
    """The formula in the module's docstring, (samples,)."""
    spikes, n = prior.spikes, len(y)
    slab_mean = spikes.mean + prior.dependence @ (y - spikes.centre)
    parts = torch.stack(
        [
            torch.log(spikes.weight) + torch.distributions.Normal(spikes.centre, spikes.width).log_prob(y),
            torch.log1p(-spikes.weight) + torch.distributions.Normal(slab_mean, spikes.scale).log_prob(y),
        ]
    )
    assert parts.shape == (2, n, y.shape[-1])
    return torch.logsumexp(parts, 0).sum(0)


def test_the_density_is_the_product_of_the_conditional_mixtures():
    prior, y = a_prior(), some_latents(50)
    found = prior.evaluate(y).log_density.sum()
    torch.testing.assert_close(found, log_density(prior, y).mean())


def test_the_density_integrates_to_one():
    prior = a_prior()
    pair = DependentPrior(prior.spikes[:2], prior.dependence[:2, :2])
    axis = torch.linspace(-14, 14, 1401, dtype=torch.float64)
    grid = torch.cartesian_prod(axis, axis).T
    total = log_density(pair, grid).exp().sum() * (axis[1] - axis[0]) ** 2
    assert float(total) == pytest.approx(1, abs=1e-3)


def test_the_score_is_the_derivative_of_the_density():
    prior, y = a_prior(), some_latents(200).requires_grad_()
    (score,) = torch.autograd.grad(-log_density(prior, y).sum(), y)
    torch.testing.assert_close(prior.evaluate(y.detach()).score, score)


def test_without_dependence_it_is_the_product_of_the_single_densities():
    spikes, y = a_prior().spikes, some_latents(100)
    found, single = DependentPrior.from_independent(spikes).evaluate(y), evaluate(spikes, y)
    torch.testing.assert_close(found.log_density, single.log_density)
    torch.testing.assert_close(found.score, single.score)
    torch.testing.assert_close(found.curvature, single.curvature)


@pytest.mark.parametrize("bounds", [LOOSE, TIGHT], ids=["loose", "tight"])
def test_an_em_step_never_lowers_the_likelihood(bounds):
    y = some_latents()
    wide = SpikeSlabPrior.wide(3, dtype=torch.float64)
    prior = DependentPrior.from_independent(wide).within(bounds)
    likelihoods = []
    for _ in range(40):
        result = prior.evaluate(y)
        likelihoods.append(result.log_density.sum())
        prior = prior.updated(result, y, bounds)
    gains = torch.stack(likelihoods).diff()
    # The ridge of the regression is the only thing that may cost anything.
    assert gains.min() > -1e-5
    assert gains.sum() > 0.1


def test_em_finds_the_dependence():
    y = some_latents(20_000)
    prior = DependentPrior.from_independent(SpikeSlabPrior.wide(3, dtype=torch.float64)).within(TIGHT)
    for _ in range(60):
        prior = prior.updated(prior.evaluate(y), y, TIGHT)
    independent = evaluate(prior.spikes, y).log_density.sum()
    assert prior.evaluate(y).log_density.sum() > independent + 0.1
    assert prior.dependence.triu().abs().max() == 0
    assert prior.dependence[2].abs().max() < 0.1, "the third latent follows nothing"


def test_single_and_double_precision_agree():
    single = a_prior(torch.float32).evaluate(some_latents(dtype=torch.float32))
    double = a_prior().evaluate(some_latents())
    torch.testing.assert_close(single.log_density.double(), double.log_density, atol=1e-4, rtol=0)
    torch.testing.assert_close(single.score.double(), double.score, atol=1e-2, rtol=1e-3)
    stepped = [
        prior.updated(result, y, TIGHT).dependence.double()
        for prior, result, y in (
            (a_prior(torch.float32), single, some_latents(dtype=torch.float32)),
            (a_prior(), double, some_latents()),
        )
    ]
    torch.testing.assert_close(*stepped, atol=1e-3, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_everything_is_finite_at_the_smallest_width(dtype):
    narrow = WidthBounds(torch.tensor(1e-3), torch.tensor(1e-3))
    y = 10 * some_latents(dtype=dtype)
    prior = a_prior(dtype, width=1e-3)
    for _ in range(5):
        result = prior.evaluate(y)
        assert all(torch.isfinite(part).all() for part in (*result[:3], *result.moments))
        prior = prior.updated(result, y, narrow)
        assert torch.isfinite(prior.dependence).all()
        assert (prior.spikes.scale > 0).all()


def test_the_rescaled_prior_is_that_of_the_rescaled_latents():
    prior, y = a_prior(), some_latents(20)
    scale = prior.spikes.scale
    moved = log_density(prior.rescaled(), y / scale) - torch.log(scale).sum()
    torch.testing.assert_close(moved, log_density(prior, y))
