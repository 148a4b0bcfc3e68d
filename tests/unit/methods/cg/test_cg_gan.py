"""CG-GAN: the latents of domains, the losses of the game, and a generator that learns a distribution."""

import numpy as np
import pytest
import torch
from torch.nn.functional import one_hot, softplus

from pdgmm.fitting.networks import leaky_mlp
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.cg.cg_gan import CgGan
from pdgmm.methods.cg.cg_gan_network import CgGanNetwork, MaskedStyles
from pdgmm.methods.cg.cg_gan_training import CgGanLearner


def test_masked_latents_are_increasing_and_a_small_mask_leaves_them_alone():
    torch.manual_seed(0)
    styles = MaskedStyles(latents=2, domains=3)
    with torch.no_grad():
        styles.importance.copy_(torch.tensor([0.8, 0.09]))
    noise = torch.linspace(-3, 3, 50).repeat(2, 1).T.contiguous()
    for domain in range(3):
        moved = styles(noise, torch.full((50,), domain))
        assert (moved.diff(dim=0) > 0).all()
        torch.testing.assert_close(moved[:, 1], noise[:, 1])
    first, second = (styles(noise, torch.full((50,), domain))[:, 0] for domain in (0, 1))
    assert not torch.allclose(first, second, atol=0.05)


def test_the_loss_of_the_critic_is_softplus_with_the_penalty_at_real_samples():
    torch.manual_seed(1)
    network = CgGanNetwork(x_dim=3, latents=2, domains=2, units=[5], slope=0.2)
    critic = leaky_mlp([5, 6, 1], 0.2)
    x, u = torch.randn(7, 3), torch.arange(7) % 2
    learner = CgGanLearner(CgGan(gradient_penalty=3.0), network, critic, 2)
    start = {name: value.clone() for name, value in critic.state_dict().items()}
    torch.manual_seed(2)
    loss = learner._critic_step(x.clone(), u)["critic"]
    critic.load_state_dict(start)
    torch.manual_seed(2)
    fake = network.generator(network.latents_of(u))
    judge = lambda x: critic(torch.cat([x, one_hot(u, 2).float()], dim=1))[:, 0]  # noqa: E731
    slopes = torch.func.vmap(torch.func.jacrev(lambda x, u: critic(torch.cat([x, u]))[0]))(
        x, one_hot(u, 2).float()
    )
    expected = softplus(-judge(x)).mean() + softplus(judge(fake)).mean()
    torch.testing.assert_close(loss, expected + 1.5 * slopes.square().sum(dim=1).mean())


def test_the_generator_learns_the_domains_and_the_encoder_inverts_it():
    rng = np.random.default_rng(3)
    u = rng.integers(2, size=4000)
    z = rng.normal(size=(4000, 1)) + np.array([-3.0, 3.0])[u][:, None]
    x = (z @ np.array([[1.0, 0.5]])).astype(np.float32)
    settings = CgGan(steps=500, encoder_steps=200, units=[16], batch_size=128, learning_rate=5e-3)
    run = Run(seed=200)
    fitted = settings.fit(Samples(x, 1, side={"u": u}), run)
    model = fitted.model
    assert run.notes["last_step"]["loss"] < 0.1
    torch.manual_seed(0)
    with torch.no_grad():
        made = [
            model.network.decode(model.network.latents_of(torch.full((2000,), domain))).numpy()[:, 0].mean()
            for domain in (0, 1)
        ]
    np.testing.assert_allclose(made, [-3, 3], atol=1.2)
    handed_over = fitted.claims["generated"][:, 0]
    assert (handed_over > 0).mean() == pytest.approx(0.5, abs=0.1)
    assert np.abs(handed_over).mean() == pytest.approx(3, abs=1.2)
    assert abs(np.corrcoef(model.encode(x)[:, 0], z[:, 0])[0, 1]) > 0.9
