"""The linear methods for several domains."""

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.within_domains import match_within_domains
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import method_class
from pdgmm.methods.domains.linear_domains import gain_of_own_moments
from pdgmm.methods.domains.sparse_mixing import sparsest_rotation

SCALES = np.array([[1.0, 0.3, 1, 1], [0.2, 1.0, 1, 1], [0.6, 0.6, 1, 1]])
MEANS = np.array([[2.0, -1, 0, 0], [-1, 1, 0, 0], [0, 3, 0, 0]])


def drawn(domains, mixing, count=20_000):
    rng = np.random.default_rng(domains)
    u = rng.integers(domains, size=count)
    z = MEANS[u] + SCALES[u] * rng.normal(size=(count, 4))
    return Samples((z @ mixing.T).astype(np.float32), 4, side={"u": u}), z, u


def fit(name, data):
    fitted = method_class(name)().fit(data, Run(seed=200))
    seen = {name: data.side[name] for name in fitted.model.sees}
    return fitted, fitted.model.encode(data.array(), **seen)


@pytest.mark.parametrize("domains", [2, 3])
def test_a_linear_dense_mixing_is_undone_for_the_latents_that_change(domains):
    data, z, u = drawn(domains, np.random.default_rng(0).normal(size=(4, 4)))
    _, code = fit("nonstationary", data)
    match = match_within_domains(z, code, u, np.array([1, 1, 0, 0]))
    assert match.per_latent.min() > 0.99


def test_sparse_columns_determine_the_invariant_block():
    mixing = np.zeros((8, 4))
    for output, pair in enumerate([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (2, 0), (1, 3), (3, 1)]):
        mixing[output, list(pair)] = 1.0, (-1.0) ** output * 0.7
    data, z, _ = drawn(2, mixing)
    fitted, code = fit("nonstationary", data)
    match = mcc(z, code)
    assert match.per_latent.min() > 0.99
    np.testing.assert_array_equal(fitted.claims["jacobian"][:, match.assignment] > 0.1, mixing != 0)


def test_the_gain_is_the_difference_of_two_maximal_likelihoods():
    rng = np.random.default_rng(1)
    u = np.repeat([0, 1], [300, 700])
    y = rng.normal(size=(1000, 2)) * np.array([[1, 1], [3, 1]])[u] + np.array([[0, 0], [2, 0]])[u]

    def log_likelihood(values):
        return -0.5 * np.log(values.var()) - 0.5

    own = sum(share * log_likelihood(y[u == d, 0]) for d, share in enumerate((0.3, 0.7)))
    means, variances = (np.stack([part(y[u == d], axis=0) for d in range(2)]) for part in (np.mean, np.var))
    gains = gain_of_own_moments(means, variances, np.array([0.3, 0.7]))
    assert gains[0] == pytest.approx(own - log_likelihood(y[:, 0]))
    assert gains[1] < 0.01


def test_the_sparsest_rotation_finds_sparse_columns_again():
    rng = np.random.default_rng(2)
    sparse = rng.normal(size=(40, 3)) * (rng.random((40, 3)) < 0.4)
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn = sparsest_rotation(sparse @ rotation.T)
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-12)
    shares = np.abs(rotation.T @ turn)
    np.testing.assert_allclose(np.sort(shares.max(axis=0)), 1, atol=0.01)


def test_the_means_of_domains_know_nothing_inside_domains():
    data, z, u = drawn(3, np.eye(4))
    _, code = fit("domain_means", data)
    assert mcc(z[:, :2], code).mcc > 0.85
    assert match_within_domains(z, code, u, np.ones(4)).per_latent.max() == 0
    np.testing.assert_allclose(code[0], data.array()[u == u[0]].mean(axis=0), rtol=1e-4)


def test_components_of_all_domains_are_matched():
    """Non-Gaussian latents, which FastICA needs: the same order and sign in every domain."""
    rng = np.random.default_rng(3)
    u = rng.integers(3, size=9000)
    z = rng.laplace(size=(9000, 3)) * SCALES[u][:, :3] + 5 * np.arange(3)[u][:, None]
    mixing = rng.normal(size=(3, 3))
    data = Samples((z @ mixing.T).astype(np.float32), 3, side={"u": u})
    _, code = fit("fastica_per_domain", data)
    assert match_within_domains(z, code, u, np.ones(3)).per_latent.min() > 0.98


@pytest.mark.parametrize("name", ["domain_means", "fastica_per_domain", "nonstationary"])
def test_too_few_domains_and_small_ones_are_refused(name):
    x = np.random.default_rng(4).normal(size=(300, 4)).astype(np.float32)
    with pytest.raises(UserError, match="all 300 samples are of domain 0"):
        fit(name, Samples(x, 4, side={"u": np.zeros(300, int)}))
    with pytest.raises(UserError, match="domain 1 has 20 training samples"):
        fit(name, Samples(x, 4, side={"u": np.repeat([0, 1, 2], [140, 20, 140])}))
