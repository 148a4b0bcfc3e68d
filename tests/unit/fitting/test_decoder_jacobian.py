import pytest
import torch
from torch import nn

from pdgmm.fitting.decoder_jacobian import layers_jacobian, log_det_gram
from pdgmm.fitting.networks import leaky_mlp


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def sequential(*activations):
    sizes, layers = [3, 7, 6, 5], []
    for place, activation in enumerate([*activations, nn.Tanh()][:2]):
        layers += [nn.Linear(sizes[place], sizes[place + 1]), activation]
    return nn.Sequential(*layers, nn.Linear(6, 5)).double()


NETWORKS = {
    "leaky": lambda: leaky_mlp([3, 7, 6, 5], 0.2).double(),
    "relu": lambda: sequential(nn.ReLU(), nn.ReLU()),
    "softplus": lambda: sequential(nn.Softplus(beta=2.0)),
    "sigmoid": lambda: sequential(nn.Sigmoid()),
    "linear": lambda: leaky_mlp([3, 5], 0.2).double(),
    "activation first": lambda: nn.Sequential(nn.Tanh(), nn.Linear(3, 5), nn.LeakyReLU(0.1)).double(),
}


def by_autograd(network, z):
    return torch.func.vmap(torch.func.jacrev(lambda one: network(one[None])[0]))(z)


@pytest.mark.parametrize("name", NETWORKS)
def test_jacobian_and_its_gradient_are_those_of_autograd(name):
    network, z = NETWORKS[name](), torch.randn(11, 3, dtype=torch.float64, requires_grad=True)
    x, jacobian = layers_jacobian(network, z)
    torch.testing.assert_close(x, network(z))
    assert jacobian.shape == (11, 5, 3)
    expected = by_autograd(network, z)
    torch.testing.assert_close(jacobian, expected)
    # A penalty on the Jacobian and on the values, with gradients for the weights and for the codes.
    parameters = [z, *network.parameters()]
    weight = torch.randn(5, 3, dtype=torch.float64)
    ours, theirs = (
        torch.autograd.grad(
            ((weight * found).sin().sum() + x.square().sum()),
            parameters,
            retain_graph=True,
            allow_unused=True,
        )
        for found in (jacobian, expected)
    )
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)


def test_an_unknown_layer_is_named():
    with pytest.raises(TypeError, match="BatchNorm1d"):
        layers_jacobian(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), torch.zeros(3, 2))


def test_log_det_of_the_gram_matrix():
    jacobian = torch.randn(9, 6, 4, dtype=torch.float64, requires_grad=True)
    expected = torch.linalg.slogdet(jacobian.mT @ jacobian).logabsdet
    found = log_det_gram(jacobian)
    torch.testing.assert_close(found, expected, atol=1e-3, rtol=0)
    ours, theirs = (
        torch.autograd.grad(value.sum(), jacobian, retain_graph=True)[0] for value in (found, expected)
    )
    torch.testing.assert_close(ours, theirs, atol=1e-3, rtol=1e-3)


def test_a_lost_direction_gives_a_finite_log_det():
    jacobian = torch.randn(5, 6, 2).repeat(1, 1, 2)
    assert torch.isfinite(log_det_gram(jacobian)).all()
