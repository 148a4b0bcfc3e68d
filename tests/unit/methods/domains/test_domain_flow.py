"""The flow for several domains: its likelihood, its sparsity, and what it finds."""

import numpy as np
import pytest
import torch
from scipy.stats import norm

from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.domains.domain_flow import DomainFlow
from pdgmm.methods.domains.domain_gaussians import fitted_gaussians, profile_log_likelihood
from pdgmm.methods.domains.flow_sparsity import denseness, mixing_jacobian
from pdgmm.models.coupling_flow import CouplingFlow


@pytest.fixture
def codes():
    rng = np.random.default_rng(0)
    u = np.arange(300) % 3
    y = rng.normal(size=(300, 4)) * np.array([0.2, 1, 3])[u][:, None] + np.arange(3)[u][:, None]
    return torch.from_numpy(y), torch.from_numpy(u)


def test_the_density_is_that_of_independent_gaussians(codes):
    y, u = codes
    fitted = fitted_gaussians(y, u, domains=3, n=2)
    expected = np.zeros(300)
    for domain in range(3):
        rows = (u == domain).numpy()
        for latent in range(2):
            own = y[rows, latent].numpy()
            expected[rows] += norm(own.mean(), own.std()).logpdf(own)
    for beyond in (2, 3):
        expected += norm(0, np.sqrt((y[:, beyond] ** 2).mean())).logpdf(y[:, beyond])
    np.testing.assert_allclose(fitted.log_density(y, u), expected)


def test_the_profile_likelihood_is_the_maximum_over_moments(codes):
    y, u = codes
    best = fitted_gaussians(y, u, domains=3, n=2).log_density(y, u).mean()
    constant = -0.5 * 4 * (1 + np.log(2 * np.pi))
    assert float(profile_log_likelihood(y, u, 3, 2) + constant) == pytest.approx(float(best))


def test_a_domain_with_hardly_any_rows_in_a_batch_does_no_harm(codes):
    y, u = codes
    few = torch.cat([torch.nonzero(u < 2)[:, 0], torch.nonzero(u == 2)[:1, 0]])
    value = profile_log_likelihood(y[few].requires_grad_(), u[few], 4, 2)
    assert torch.isfinite(value)


def test_the_jacobian_is_that_of_the_inverse():
    torch.manual_seed(1)
    flow = CouplingFlow(3, blocks=2, width=8).double()
    with torch.no_grad():
        for parameter in flow.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    y, back = torch.randn(5, 3).double(), torch.randn(4, 3).double()
    deviations = torch.tensor([0.5, 2.0]).double()
    exact = torch.stack(
        [
            torch.autograd.functional.jacobian(lambda row: (flow.inverse(row[None]) @ back.T)[0], row)
            for row in y
        ]
    )
    found = mixing_jacobian(flow, y, deviations, back)
    torch.testing.assert_close(found, exact[:, :, :2] * deviations, rtol=0.05, atol=0.02)


def test_the_denseness_of_a_mixing_ignores_the_scales_of_latents_and_is_zero_for_one_latent_per_coordinate():
    scales = torch.tensor([0.1, 1.0, 5.0])
    sparse = torch.cat([torch.eye(3), torch.zeros(2, 3)])[torch.tensor([3, 1, 4, 0, 2])] * scales
    assert float(denseness(sparse[None])) == pytest.approx(0, abs=1e-5)
    turn = torch.linalg.qr(torch.randn(3, 3, generator=torch.Generator().manual_seed(2))).Q
    turned = float(denseness((sparse / scales @ turn)[None]))
    assert turned == pytest.approx(float(turn.abs().sum(dim=0).log().sum()), abs=1e-5)
    assert float(denseness((sparse / scales @ turn * scales)[None])) == pytest.approx(turned, abs=1e-5)


def test_latents_that_hold_nothing_do_not_make_a_mixing_sparser():
    two = torch.tensor([[1.0, 0], [1, 1], [0, 1], [0, 0]])
    exchanged = two.clone()
    exchanged[:, 1] = torch.tensor([1e-3, 0, 1e-3, 1e-3])
    assert float(denseness(exchanged[None])) > float(denseness(two[None]))


def test_training_raises_the_held_out_objective_and_claims_the_support():
    rng = np.random.default_rng(3)
    u = rng.integers(2, size=1500)
    z = rng.normal(size=(1500, 2)) * np.array([[1, 0.3], [0.3, 1]])[u]
    x = np.column_stack([z, z[:, 0] + 0.5 * np.maximum(z[:, 1], 0)]).astype(np.float32)
    run = Run(seed=200)
    fitted = DomainFlow(steps=60, blocks=3, width=16).fit(Samples(x, 2, side={"u": u}), run)
    scores = [score for _, score in run.notes["held_out_objectives"]]
    assert max(scores) > scores[0] + 0.1
    assert run.notes["best_step"] > 0
    assert fitted.claims["jacobian"].shape == (3, 2)
    code = fitted.model.encode(x)
    assert np.abs(np.corrcoef(code.T, z.T)[:2, 2:]).max(axis=0).min() > 0.95
