import pytest
import torch

from pdgmm.models.coupling_flow import Coupling, CouplingFlow, Dense, LeakySlope


def randomised(module):
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return module


def layers(dim):
    torch.manual_seed(1)
    return [Dense(torch.eye(dim)), Coupling(dim, 16), LeakySlope(dim), CouplingFlow(dim, blocks=3, width=16)]


@pytest.mark.parametrize("dim", [2, 5])
@pytest.mark.parametrize("which", range(4), ids=["dense", "coupling", "slope", "flow"])
def test_the_log_determinant_is_that_of_the_jacobian(which, dim):
    layer = randomised(layers(dim)[which]).double()
    x = torch.randn(10, dim, dtype=torch.float64)
    _, log_det = layer(x)
    for row, expected in zip(x, log_det, strict=True):
        jacobian = torch.autograd.functional.jacobian(lambda one: layer(one[None])[0][0], row)
        torch.testing.assert_close(torch.linalg.slogdet(jacobian).logabsdet, expected)


@pytest.mark.parametrize("which", range(4), ids=["dense", "coupling", "slope", "flow"])
def test_the_inverse_undoes_the_layer(which):
    layer = randomised(layers(7)[which])
    x = 3 * torch.randn(200, 7)
    with torch.no_grad():
        torch.testing.assert_close(layer.inverse(layer(x)[0]), x, atol=1e-4, rtol=1e-4)


def test_it_starts_as_the_linear_map_it_is_given_and_can_be_followed_by_another():
    flow = CouplingFlow(4, blocks=3, width=8)
    linear, offset, x = torch.randn(4, 4), torch.randn(4), torch.randn(30, 4)
    flow.start_as(linear, offset)
    expected = x @ linear.T + offset
    with torch.no_grad():
        y, log_det = flow(x)
        torch.testing.assert_close(y, expected, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(
            log_det, torch.linalg.slogdet(linear).logabsdet.expand(30), atol=1e-4, rtol=0
        )
        flow.append_affine(2 * torch.eye(4), torch.ones(4))
        torch.testing.assert_close(flow(x)[0], 2 * expected + 1, atol=1e-3, rtol=1e-4)


def test_single_and_double_precision_agree():
    flow = randomised(CouplingFlow(6, blocks=4, width=16))
    x = torch.randn(50, 6)
    with torch.no_grad():
        single, double = flow(x), flow.double()(x.double())
    for a, b in zip(single, double, strict=True):
        torch.testing.assert_close(a.double(), b, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("dim", [2, 3, 8])
def test_the_fast_values_and_gradients_are_those_of_autograd(dim):
    flow = randomised(CouplingFlow(dim, blocks=3, width=16)).double()
    x, direction = torch.randn(2, 50, dim, dtype=torch.float64)
    parameters = list(flow.parameters())
    y, log_dets = flow(x)
    expected = torch.autograd.grad((y * direction).sum() + 3 * log_dets.mean(), parameters)
    fast_y, mean_log_det = flow.with_mean_log_det(x)
    torch.testing.assert_close((fast_y, mean_log_det), (y, log_dets.mean()))
    found = torch.autograd.grad((fast_y * direction).sum() + 3 * mean_log_det, parameters)
    torch.testing.assert_close(found, expected)
