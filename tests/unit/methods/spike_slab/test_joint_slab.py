import pytest
import torch

from pdgmm.methods.spike_slab.joint_slab import JointSlabPrior
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, log_density


def random_prior(latents, residuals=0):
    torch.manual_seed(0)
    prior = JointSlabPrior(latents, residuals)
    with torch.no_grad():
        for parameter in prior.parameters():
            parameter.normal_(std=0.5)
    return prior.double()


def test_without_dependence_it_is_the_product_of_the_single_densities():
    prior = random_prior(3)
    with torch.no_grad():
        prior.dependence.zero_()
    single = SpikeSlabPrior(
        *(
            value.detach()[:, None]
            for value in (
                torch.sigmoid(prior.log_odds),
                prior.centre,
                prior.widths(0.05),
                prior.mean,
                prior.log_scale.exp(),
            )
        )
    )
    y = torch.randn(20, 3, dtype=torch.float64)
    torch.testing.assert_close(prior.log_density(y, 0.05).detach(), log_density(single, y.T).sum(0))


def test_it_integrates_to_one():
    prior = random_prior(1, residuals=1)
    axis = torch.linspace(-12, 12, 1201, dtype=torch.float64)
    grid = torch.cartesian_prod(axis, axis)
    total = prior.log_density(grid, 0.1).exp().sum() * (axis[1] - axis[0]) ** 2
    assert float(total.detach()) == pytest.approx(1, abs=1e-3)


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


def test_gradients_are_finite_at_the_smallest_width():
    prior = JointSlabPrior(4, residuals=1)
    with torch.no_grad():
        prior.width_logit.fill_(-30)
    y = (10 * torch.randn(100, 5)).requires_grad_()
    with torch.no_grad():
        y[:10] = 0
    prior.log_density(y, 1e-3).mean().backward()
    assert torch.isfinite(y.grad).all()
    assert all(torch.isfinite(parameter.grad).all() for parameter in prior.parameters())


def test_single_and_double_precision_agree():
    double = random_prior(5)
    y = torch.randn(50, 5, dtype=torch.float64)
    expected = double.log_density(y, 0.05).detach()
    torch.testing.assert_close(
        double.float().log_density(y.float(), 0.05).double().detach(), expected, atol=1e-3, rtol=1e-4
    )
