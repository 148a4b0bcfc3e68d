"""The rotation with the sparsest Jacobian."""

import numpy as np
import torch

from pdgmm.data.dependency_supports import cyclic
from pdgmm.evaluation.dependency_support import support_error
from pdgmm.methods.ddl.sparse_rotation import sparsest_rotation


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
