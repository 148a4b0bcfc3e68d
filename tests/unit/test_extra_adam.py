import cooper
import torch

from pdgmm.extra_adam import ExtraAdam


def run(optimizer_class, steps, **options):
    torch.manual_seed(0)
    parameters = [torch.nn.Parameter(torch.randn(4, 3)), torch.nn.Parameter(torch.randn(3))]
    target = torch.randn(4, 3)
    optimizer = optimizer_class(parameters, 0.01, **options)
    for _ in range(steps):
        for move in (optimizer.extrapolation, optimizer.step):
            optimizer.zero_grad()
            (parameters[0] * parameters[1] - target).square().sum().backward()
            move()
    return [parameter.detach() for parameter in parameters]


def test_it_is_coopers_extra_adam():
    for ours, theirs in zip(run(ExtraAdam, 100), run(cooper.optim.ExtraAdam, 100), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_it_can_ascend():
    for ours, theirs in zip(
        run(ExtraAdam, 5, maximize=True), run(cooper.optim.ExtraAdam, 5, maximize=True), strict=True
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
