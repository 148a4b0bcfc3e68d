import numpy as np
import torch
from torch import nn

from pdgmm.fitting.batch_norm import settle_batch_norm
from pdgmm.fitting.samples import Samples


def test_the_statistics_are_those_of_the_final_weights():
    rng = np.random.default_rng(0)
    x = (rng.normal(size=(1000, 3)) * [1, 2, 3] + 5).astype(np.float32)
    norm = nn.BatchNorm1d(3)
    norm.running_mean.fill_(100.0)
    settle_batch_norm(norm, norm, Samples(x, 3), batch_size=250, seed=0)
    np.testing.assert_allclose(norm.running_mean, x.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(norm.running_var, x.var(axis=0), rtol=1e-2)
    assert norm.momentum == 0.1


def test_weights_stay_as_they_are():
    norm = nn.BatchNorm1d(2)
    before = [parameter.clone() for parameter in norm.parameters()]
    settle_batch_norm(norm, norm, Samples(np.eye(2).repeat(4, 0), 2), batch_size=100, seed=0)
    assert all(torch.equal(old, new) for old, new in zip(before, norm.parameters(), strict=True))
    assert int(norm.num_batches_tracked) == 1
