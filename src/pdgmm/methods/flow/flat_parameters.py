"""All parameters of a model in one vector, so that an optimiser updates one tensor instead of a hundred."""

import torch
from torch import nn


class FlatParameters:
    """Turns the parameters of ``model`` into views of one vector, ``values``.

    The model must not be moved to another device afterwards.
    """

    def __init__(self, model: nn.Module) -> None:
        self._parameters = list(model.parameters())
        self.values = nn.Parameter(torch.cat([p.detach().flatten() for p in self._parameters]))
        begin = 0
        for parameter in self._parameters:
            parameter.data = self.values.data[begin : begin + parameter.numel()].view_as(parameter)
            begin += parameter.numel()

    def differentiate(self, loss: torch.Tensor) -> None:
        """Set the gradient of ``values`` to that of ``loss``."""
        grads = torch.autograd.grad(loss, self._parameters, allow_unused=True)
        parts = [
            (torch.zeros_like(parameter) if grad is None else grad).flatten()
            for parameter, grad in zip(self._parameters, grads, strict=True)
        ]
        self.values.grad = torch.cat(parts)

    def release(self) -> None:
        """Give each parameter its own memory again; the last bits of matrix products may depend on its alignment."""
        for parameter in self._parameters:
            parameter.data = parameter.data.clone()
