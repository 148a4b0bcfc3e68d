"""The optimisers are those of torch and cooper."""

import copy

import cooper
import pytest
import torch

from pdgmm.fitting.optimisers import Adam, ExtraAdam

RATE, BETAS = 0.01, (0.9, 0.99)


class Problem:
    """Two parameters, of which the second has a gradient in every other step only."""

    def __init__(self):
        random = torch.Generator().manual_seed(0)
        self.parameters = [
            torch.nn.Parameter(torch.randn(shape, generator=random)) for shape in ((40, 30), (30,))
        ]
        self._target = torch.randn(40, 30, generator=random)

    def run(self, optimizer, steps):
        for step in steps:
            for parameter in self.parameters:
                parameter.grad = None
            scale = self.parameters[1] if step % 2 else self.parameters[1].detach()
            (self.parameters[0] * scale - self._target).square().sum().backward()
            optimizer.step()

    def move_to(self, other):
        for parameter, value in zip(self.parameters, other.parameters, strict=True):
            parameter.data.copy_(value)

    def equals(self, other):
        return all(map(torch.equal, self.parameters, other.parameters))


@pytest.mark.parametrize("maximize", [False, True])
def test_it_is_torchs_fused_adam_to_the_bit(maximize):
    ours, theirs = Problem(), Problem()
    ours.run(Adam(ours.parameters, RATE, betas=BETAS, maximize=maximize), range(50))
    reference = torch.optim.Adam(theirs.parameters, lr=RATE, betas=BETAS, fused=True, maximize=maximize)
    theirs.run(reference, range(50))
    assert ours.equals(theirs)


def test_it_goes_on_where_it_was_saved():
    whole, stopped, resumed = Problem(), Problem(), Problem()
    whole.run(Adam(whole.parameters, RATE), range(20))
    first = Adam(stopped.parameters, RATE)
    stopped.run(first, range(10))
    resumed.move_to(stopped)
    second = Adam(resumed.parameters, RATE)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    resumed.run(second, range(10, 20))
    assert resumed.equals(whole)


def test_after_a_reset_it_steps_as_if_new():
    used, new = Problem(), Problem()
    optimizer = Adam(used.parameters, RATE)
    used.run(optimizer, range(5))
    optimizer.reset()
    used.move_to(new)
    used.run(optimizer, range(5))
    new.run(Adam(new.parameters, RATE), range(5))
    assert used.equals(new)


def test_the_learning_rate_is_scaled_from_its_base():
    scaled, set_so = Problem(), Problem()
    optimizer = Adam(scaled.parameters, RATE)
    optimizer.scale_learning_rate(0.5)
    optimizer.scale_learning_rate(0.25)
    scaled.run(optimizer, range(5))
    set_so.run(Adam(set_so.parameters, 0.25 * RATE), range(5))
    assert scaled.equals(set_so)


def test_the_state_of_another_model_is_refused():
    problem = Problem()
    other = Adam(problem.parameters[:1], RATE)
    with pytest.raises(ValueError, match="1 tensors of means, not 2"):
        Adam(problem.parameters, RATE).load_state_dict(other.state_dict())


def extrapolated(optimizer_class, **options):
    torch.manual_seed(0)
    parameters = [torch.nn.Parameter(torch.randn(4, 3)), torch.nn.Parameter(torch.randn(3))]
    target = torch.randn(4, 3)
    optimizer = optimizer_class(parameters, RATE, **options)
    for _ in range(5 if options else 100):
        for move in (optimizer.extrapolation, optimizer.step):
            optimizer.zero_grad()
            (parameters[0] * parameters[1] - target).square().sum().backward()
            move()
    return [parameter.detach() for parameter in parameters]


@pytest.mark.parametrize("options", [{}, {"maximize": True}])
def test_extra_adam_is_coopers(options):
    ours, theirs = (extrapolated(kind, **options) for kind in (ExtraAdam, cooper.optim.ExtraAdam))
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
