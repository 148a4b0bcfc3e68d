"""CG-VAE: its prior, its penalty, and what both do together."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad

from pdgmm.errors import UserError
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import method_class
from pdgmm.methods.cg.cg_vae import CgVae
from pdgmm.methods.cg.generated import GENERATED
from pdgmm.methods.cg.jacobian_sum import jacobian_sum
from pdgmm.methods.vae.posterior import Posterior
from pdgmm.methods.vae.sigmoidal_prior import SigmoidalPrior


@pytest.fixture
def prior():
    torch.manual_seed(0)
    prior = SigmoidalPrior(latents=2, classes=3)
    with torch.no_grad():
        for parameter in prior.parameters():
            parameter.add_(0.7 * torch.randn_like(parameter))
    return prior.double()


def test_the_flow_is_increasing_with_the_stated_derivative(prior):
    z = torch.linspace(-4, 4, 41, dtype=torch.float64).repeat(2, 1).T.contiguous().requires_grad_()
    u = torch.full((41,), 1)
    normal, log_slope = prior.to_normal(z, u)
    (slopes,) = torch.autograd.grad(normal.sum(), z)
    torch.testing.assert_close(log_slope.exp(), slopes)
    assert (slopes > 0).all()


def test_draws_of_a_domain_are_normal_after_its_flow(prior):
    torch.manual_seed(4)
    u = torch.arange(3).repeat_interleave(4000)
    normal, _ = prior.to_normal(prior.draw(u), u)
    for domain in range(3):
        inside = normal[u == domain]
        torch.testing.assert_close(torch.cov(inside.T), torch.eye(2).double(), atol=0.08, rtol=0)
        torch.testing.assert_close(inside.mean(dim=0), torch.zeros(2).double(), atol=0.06, rtol=0)


@pytest.mark.parametrize("settings", [{}, {"prior": "gaussian"}, {"domains": False}])
def test_every_variant_generates_samples(settings):
    rng = np.random.default_rng(5)
    u = rng.integers(2, size=300)
    x = (rng.normal(size=(300, 3)) + 2 * u[:, None]).astype(np.float32)
    data = Samples(x, 2, side={"u": u})
    first, again = (CgVae(steps=3, **settings).fit(data, Run(seed=200)).claims["generated"] for _ in range(2))
    assert first.shape == (GENERATED, 3)
    assert np.isfinite(first).all()
    assert first.tobytes() == again.tobytes()


@pytest.mark.parametrize("domain", [0, 2])
def test_the_density_of_one_latent_integrates_to_one(prior, domain):
    def density(value):
        z = torch.tensor([[value, 0.3]], dtype=torch.float64)
        normal, log_slope = prior.to_normal(z, torch.tensor([domain]))
        return float((log_slope - 0.5 * normal.square())[0, 0].detach().exp()) / np.sqrt(2 * np.pi)

    assert quad(density, -60, 60, points=[-5, 0, 5], limit=200)[0] == pytest.approx(1, abs=1e-4)


def test_the_divergence_is_that_of_the_posterior_from_the_prior(prior):
    torch.manual_seed(1)
    posterior = Posterior(torch.tensor([[0.4, -0.2]]).double(), torch.tensor([[-1.0, 0.3]]).double())
    many = Posterior(*(part.expand(200_000, -1) for part in posterior))
    u = torch.zeros(200_000, dtype=torch.int64)
    z = many.draw()
    estimate = prior.divergence(many, z, u)[0].mean()
    direct = (many.log_density(z) - prior.log_density(z, u)).mean()
    assert float(estimate) == pytest.approx(float(direct), abs=0.02)
    assert estimate > 0


def test_only_the_scaled_sum_ignores_the_scale_of_a_latent():
    torch.manual_seed(2)
    jacobian, z = torch.randn(50, 6, 3), torch.randn(50, 3)
    factors = torch.tensor([10.0, 0.1, 3.0])

    def both(scaled):
        return jacobian_sum(jacobian, z, scaled=scaled), jacobian_sum(
            jacobian / factors, z * factors, scaled=scaled
        )

    torch.testing.assert_close(*both(True))
    plain, grown = both(False)
    torch.testing.assert_close(plain, jacobian.abs().sum(dim=(1, 2)).mean())
    assert not torch.isclose(plain, grown)


def test_the_penalty_makes_the_decoder_sparser():
    rng = np.random.default_rng(3)
    u = rng.integers(2, size=2000)
    z = rng.normal(size=(2000, 2)) * np.array([[1, 0.3], [0.3, 1]])[u]
    x = np.column_stack([z, z + 0.2 * z[:, ::-1]]).astype(np.float32)
    sums = []
    for alpha in (0.0001, 5.0):
        run = Run(seed=200)
        settings = CgVae(steps=150, alpha=alpha, encoder_units=[16], decoder_units=[16], noise_variance=0.1)
        settings.fit(Samples(x, 2, side={"u": u}), run)
        sums.append(run.notes["last_step"]["jacobian_sum"])
    assert sums[1] < 0.8 * sums[0]


@pytest.mark.parametrize(
    "name", ["cg_vae", "cg_gan", "domain_flow", "ivae", "nonstationary", "domain_means", "fastica_per_domain"]
)
def test_a_single_domain_and_a_small_one_are_refused(name):
    x = np.random.default_rng(4).normal(size=(300, 4)).astype(np.float32)

    def fit(u):
        method_class(name)().fit(Samples(x, 4, side={"u": u}), Run(seed=0))

    with pytest.raises(UserError, match="all 300 samples are of domain 0"):
        fit(np.zeros(300, int))
    with pytest.raises(UserError, match="domain 1 has 49 training samples, .* at least 50 of each"):
        fit(np.repeat([0, 1], [251, 49]))
