import math

import numpy as np
import pytest
import torch

from pdgmm.errors import UserError
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.mfcvae.mfcvae import Mfcvae
from pdgmm.methods.mfcvae.mfcvae_fitting import start_means
from pdgmm.methods.vae.vae_network import VaeNetwork

SMALL = {"encoder_units": [32], "decoder_units": [32], "batch_size": 200, "components": 3}


@pytest.fixture(scope="module")
def clusters():
    rng = np.random.default_rng(0)
    component = rng.integers(3, size=1500)
    grey = rng.random((3, 10))[component] + 0.08 * rng.normal(size=(1500, 10))
    return component, np.clip(grey, 0, 1).astype(np.float32)


def test_clusters_of_images_become_components(clusters):
    component, x = clusters
    run = Run(seed=1)
    fit = Mfcvae(steps=400, **SMALL | {"learning_rate": 5e-3}).fit(Samples(x, 2), run)
    code = fit.model.encode(x)
    with torch.no_grad():
        found = fit.model.network.prior.mixtures[0].log_responsibilities(torch.from_numpy(code)).argmax(dim=1)
    counts = np.zeros((3, 3))
    np.add.at(counts, (component, found.numpy()), 1)
    assert counts.max(axis=1).sum() / len(x) > 0.9
    assert fit.claims["mixture_means"].shape == (3, 2)
    assert run.history[-1]["loss"] < run.history[0]["loss"]


def test_means_start_at_clusters_of_the_untrained_codes(clusters):
    torch.manual_seed(0)
    network = VaeNetwork(
        x_dim=10,
        latents=4,
        encoder=[],
        decoder=[],
        slope=0,
        prior={"kind": "facets", "components": 3, "facets": 2},
        likelihood={"kind": "bernoulli"},
    )
    start_means(network, clusters[1], variance=0.01, seed=0)
    with torch.no_grad():
        codes = network.encode(torch.from_numpy(clusters[1])).numpy()
    centres = np.array([codes[clusters[0] == c].mean(axis=0) for c in range(3)])
    for facet, mixture in enumerate(network.prior.mixtures):
        means = mixture.means.detach().numpy()
        nearest = np.abs(means[:, None] - centres[None, :, 2 * facet : 2 * facet + 2]).max(axis=2).min(axis=0)
        assert nearest.max() < 0.05
        np.testing.assert_allclose(mixture.log_variances.detach(), math.log(0.01), rtol=1e-6)
        np.testing.assert_allclose(mixture.log_weights().exp().detach(), 1 / 3, rtol=1e-6)


def test_settings_that_do_not_fit_the_data_are_user_errors(clusters):
    with pytest.raises(UserError, match="3 latents into 2 equal facets"):
        Mfcvae(facets=2).fit(Samples(clusters[1], 3), Run(seed=0))
    with pytest.raises(UserError, match="25 components from 20 samples"):
        Mfcvae().fit(Samples(clusters[1][:20], 2), Run(seed=0))
