"""Adam with an extrapolation step, on torch's fused Adam."""

from collections.abc import Iterable

import torch


class ExtraAdam(torch.optim.Adam):
    """The extragradient variant of Adam that cooper's ``ExtrapolationConstrainedOptimizer`` drives.

    ``extrapolation`` takes an Adam step to a look-ahead point and remembers where it came from; ``step``
    takes one from there with the gradient at the look-ahead point. Both update Adam's moments. It is
    ``cooper.optim.ExtraAdam`` in fewer and larger operations, up to where Adam's epsilon enters.
    Reference: Gidel et al. (2019), "A variational inequality perspective on generative adversarial networks".
    """

    def __init__(self, params: Iterable[torch.nn.Parameter], lr: float, *, maximize: bool = False) -> None:
        super().__init__(params, lr=lr, maximize=maximize, fused=True)
        self._origin = [torch.empty_like(parameter) for parameter in self._parameters()]

    @torch.no_grad()
    def extrapolation(self) -> None:
        """Move to the look-ahead point."""
        for parameter, origin in zip(self._parameters(), self._origin, strict=True):
            origin.copy_(parameter)
        super().step()

    @torch.no_grad()
    def step(self) -> None:
        """Move from where :meth:`extrapolation` began, along the gradient at the look-ahead point."""
        parameters = self._parameters()
        looked_ahead = [parameter.data for parameter in parameters]
        for parameter, origin in zip(parameters, self._origin, strict=True):
            parameter.data = origin  # an exchange of memory, which costs less than copying back
        self._origin = looked_ahead
        super().step()

    def _parameters(self) -> list[torch.nn.Parameter]:
        return [parameter for group in self.param_groups for parameter in group["params"]]
