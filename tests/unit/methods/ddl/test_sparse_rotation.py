"""The rotation with the sparsest Jacobian, and turning a network's code to it."""

import numpy as np
import torch

from pdgmm.data.dependency_supports import cyclic
from pdgmm.evaluation.dependency_support import support_error
from pdgmm.methods.ddl.sparse_rotation import sparsest_rotation, turn_code, turn_to_sparsest
from pdgmm.methods.vae.vae_network import VaeNetwork


def test_a_rotated_sparse_jacobian_becomes_sparse_again():
    rng = np.random.default_rng(0)
    support = cyclic(4)
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    jacobian = (rng.normal(size=(500, 4, 4)) + 0.5) * support @ turn
    moments = torch.from_numpy(np.einsum("nij,nik->ijk", jacobian, jacobian) / 500)
    rotation, values = sparsest_rotation(moments, torch.from_numpy(rng.normal(size=(50, 4, 4))))
    torch.testing.assert_close(rotation @ rotation.T, torch.eye(4).double())
    found = np.sqrt(np.square(jacobian @ rotation.numpy()).mean(axis=0))
    assert support_error(support, found > 0.1) == 0
    assert values.shape == (50,)


def network():
    torch.manual_seed(0)
    return VaeNetwork(
        x_dim=3,
        latents=2,
        encoder=[5],
        decoder=[4],
        slope=0.1,
        prior={"kind": "normal"},
        likelihood={"kind": "gaussian"},
    ).double()


def test_a_turned_code_decodes_to_the_same_observations():
    vae, x = network(), torch.randn(20, 3, dtype=torch.float64)
    before = vae.posterior(x).mean
    decoded = vae.decode(before)
    matrix = torch.tensor([[1.0, 0.5], [-0.3, 2.0]]).double()
    mean, variances = torch.tensor([1.0, -2.0]).double(), torch.tensor([0.1, 0.2]).double()
    turn_code(vae, matrix, mean, variances)
    after = vae.posterior(x)
    torch.testing.assert_close(mean + after.mean @ matrix.T, before)
    torch.testing.assert_close(vae.decode(after.mean), decoded)
    inverse = torch.linalg.inv(matrix)
    expected = (inverse @ torch.diag(variances) @ inverse.T).diagonal()
    torch.testing.assert_close(after.log_variance.exp(), expected.expand(20, 2))


def test_turning_leaves_codes_white():
    vae, x = network(), torch.randn(400, 3, dtype=torch.float64)
    turn_to_sparsest(vae, x, 5, np.random.default_rng(0))
    codes = vae.posterior(x).mean
    torch.testing.assert_close(torch.cov(codes.T), torch.eye(2).double(), atol=1e-6, rtol=0)
    torch.testing.assert_close(codes.mean(dim=0), torch.zeros(2).double(), atol=1e-6, rtol=0)
