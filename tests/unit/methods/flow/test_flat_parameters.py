import torch
from torch import nn

from pdgmm.methods.flow.flat_parameters import FlatParameters


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
