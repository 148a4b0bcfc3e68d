import pytest
import torch
from torch import nn

from pdgmm.fitting.networks import DeepLinear, leaky_mlp


def test_layers_of_the_leaky_network():
    kinds = [type(layer) for layer in leaky_mlp([2, 5, 3], 0.02, batch_norm=True)]
    assert kinds == [nn.Linear, nn.LeakyReLU, nn.Linear, nn.BatchNorm1d]
    assert [type(layer) for layer in leaky_mlp([2, 3], 0.02)] == [nn.Linear]


@pytest.mark.parametrize("bias", [True, False])
def test_a_deep_linear_net_is_its_layers_one_after_the_other_gradients_included(bias):
    torch.manual_seed(0)
    deep = DeepLinear([3, 7, 8, 2], bias=bias).double()
    plain = nn.Sequential(*[nn.Linear(a, b, bias=bias) for a, b in ((3, 7), (7, 8), (8, 2))]).double()
    for ours, theirs in zip(deep.parameters(), plain.parameters(), strict=True):
        theirs.data.copy_(ours)
    x = torch.randn(20, 3, dtype=torch.float64)
    torch.testing.assert_close(deep(x), plain(x))
    deep(x).square().mean().backward()
    plain(x).square().mean().backward()
    for ours, theirs in zip(deep.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad)


def test_a_deep_linear_net_of_one_layer():
    net = DeepLinear([3, 2])
    x = torch.randn(5, 3)
    torch.testing.assert_close(net(x), net.layers[0](x))
