from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from pdgmm.fitting.networks import DeepLinear, leaky_mlp, settle_batch_norm
from pdgmm.fitting.samples import Samples


def test_layers_of_the_leaky_network():
    kinds = [type(layer) for layer in leaky_mlp([2, 5, 3], 0.02, batch_norm=True)]
    assert kinds == [nn.Linear, nn.LeakyReLU, nn.Linear, nn.BatchNorm1d]
    assert [type(layer) for layer in leaky_mlp([2, 3], 0.02)] == [nn.Linear]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("sizes", [[3, 2], [3, 7, 8, 2]])
def test_a_deep_linear_net_is_its_layers_one_after_the_other_gradients_included(bias, sizes):
    torch.manual_seed(0)
    deep = DeepLinear(sizes, bias=bias).double()
    layers = [nn.Linear(a, b, bias=bias) for a, b in pairwise(sizes)]
    plain = nn.Sequential(*layers).double()
    for ours, theirs in zip(deep.parameters(), plain.parameters(), strict=True):
        theirs.data.copy_(ours)
    x = torch.randn(20, 3, dtype=torch.float64)
    torch.testing.assert_close(deep(x), plain(x))
    deep(x).square().mean().backward()
    plain(x).square().mean().backward()
    for ours, theirs in zip(deep.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad)


def test_batch_statistics_are_those_of_the_final_weights_which_stay_as_they_are():
    x = (np.random.default_rng(0).normal(size=(1000, 3)) * [1, 2, 3] + 5).astype(np.float32)
    norm = nn.BatchNorm1d(3)
    norm.running_mean.fill_(100.0)
    before = [parameter.clone() for parameter in norm.parameters()]
    settle_batch_norm(norm, norm, Samples(x, 3), batch_size=250, seed=0)
    np.testing.assert_allclose(norm.running_mean, x.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(norm.running_var, x.var(axis=0), rtol=1e-2)
    assert norm.momentum == 0.1
    assert int(norm.num_batches_tracked) == 4
    assert all(torch.equal(old, new) for old, new in zip(before, norm.parameters(), strict=True))
