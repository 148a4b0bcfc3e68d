"""Adam with an extrapolation step."""

from collections.abc import Iterable

import torch

from pdgmm.adam import Adam


class ExtraAdam(Adam):
    """The extragradient variant of Adam that cooper's ``ExtrapolationConstrainedOptimizer`` drives.

    ``extrapolation`` takes an Adam step to a look-ahead point and remembers where it came from; ``step``
    takes one from there with the gradient at the look-ahead point. Both update Adam's moments. It is
    ``cooper.optim.ExtraAdam`` in fewer and larger operations, up to where Adam's epsilon enters.
    Reference: Gidel et al. (2019), "A variational inequality perspective on generative adversarial networks".
    """

    def __init__(
        self, parameters: Iterable[torch.nn.Parameter], learning_rate: float, *, maximize: bool = False
    ) -> None:
        super().__init__(parameters, learning_rate, maximize=maximize)
        self._origin = [torch.empty_like(parameter) for parameter in self.parameters]

    @torch.no_grad()
    def extrapolation(self) -> None:
        """Move to the look-ahead point."""
        for parameter, origin in zip(self.parameters, self._origin, strict=True):
            origin.copy_(parameter)
        super().step()

    @torch.no_grad()
    def step(self) -> None:
        """Move from where :meth:`extrapolation` began, along the gradient at the look-ahead point."""
        looked_ahead = [parameter.data for parameter in self.parameters]
        for parameter, origin in zip(self.parameters, self._origin, strict=True):
            parameter.data = origin  # an exchange of memory, which costs less than copying back
        self._origin = looked_ahead
        super().step()
