import pytest
import torch
from torch import nn

from pdgmm.methods.flow.flat_parameters import FlatParameters
from pdgmm.models.coupling_flow import CouplingFlow


@pytest.mark.parametrize("dim", [2, 3, 8])
def test_values_and_gradients_are_those_of_autograd(dim):
    torch.manual_seed(0)
    flow = CouplingFlow(dim, blocks=3, width=16).double()
    with torch.no_grad():
        for parameter in flow.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    x, direction = torch.randn(50, dim, dtype=torch.float64), torch.randn(50, dim, dtype=torch.float64)
    expected_y, log_dets = flow(x)
    y, log_det = flow.with_mean_log_det(x)
    torch.testing.assert_close(y, expected_y)
    torch.testing.assert_close(log_det, log_dets.mean())
    parameters = list(flow.parameters())
    expected = torch.autograd.grad((expected_y * direction).sum() + 3 * log_dets.mean(), parameters)
    found = torch.autograd.grad((y * direction).sum() + 3 * log_det, parameters)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


def test_a_step_on_the_vector_is_a_step_on_every_parameter():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    before = [parameter.detach().clone() for parameter in model.parameters()]
    flat = FlatParameters(model)
    loss = model(torch.ones(5, 3)).square().sum()
    grads = torch.autograd.grad(loss, list(model.parameters()), retain_graph=True)
    flat.differentiate(loss)
    torch.optim.SGD([flat.values], lr=0.1).step()
    for parameter, start, grad in zip(model.parameters(), before, grads, strict=True):
        torch.testing.assert_close(parameter.detach(), start - 0.1 * grad)


def test_a_parameter_without_influence_has_gradient_zero():
    model = nn.ModuleDict({"used": nn.Linear(2, 1), "idle": nn.Linear(2, 1)})
    flat = FlatParameters(model)
    flat.differentiate(model["used"](torch.ones(1, 2)).sum())
    assert flat.values.grad[:3].abs().sum() > 0
    assert flat.values.grad[3:].abs().sum() == 0
