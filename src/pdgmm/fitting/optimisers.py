"""Adam and its extragradient variant on torch's fused kernel, without torch's optimiser classes.

Why not ``torch.optim.Adam``: torch's optimisers import torch's compiler when the first
one is created. A training then starts about two seconds later, and many trainings of a study take little longer than
that. ``make scaling`` measures both (docs/scaling.md).
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

EPSILON = 1e-8


class Adam:
    """``torch.optim.Adam(parameters, lr, betas, fused=True)`` to the bit, for one group of parameters.

    ``parameters`` without a gradient are left alone in a step. ``gradient_clip`` bounds the Euclidean norm of the
    whole gradient; None: no bound. ``maximize`` climbs instead.
    Reference: Kingma and Ba (2015), "Adam: a method for stochastic optimization".
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        learning_rate: float,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        gradient_clip: float | None = None,
        maximize: bool = False,
    ) -> None:
        self.parameters = list(parameters)
        self._base_learning_rate = self.learning_rate = learning_rate
        self._betas = betas
        self._gradient_clip = gradient_clip
        self._maximize = maximize
        self.reset()

    def reset(self) -> None:
        """Forget all steps."""
        self._means = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._squares = [torch.zeros_like(parameter) for parameter in self.parameters]
        # On the device, where the kernel reads them, and one per parameter: a parameter may miss some steps.
        self._steps = [
            torch.zeros((), dtype=torch.float32, device=parameter.device) for parameter in self.parameters
        ]

    def scale_learning_rate(self, factor: float) -> None:
        """Use ``factor`` times the base learning rate from the next step on."""
        self.learning_rate = factor * self._base_learning_rate

    def zero_grad(self) -> None:
        """Drop the gradients."""
        for parameter in self.parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """One step along the gradients."""
        state = zip(self.parameters, self._means, self._squares, self._steps, strict=True)
        used = [part for part in state if part[0].grad is not None]
        if not used:
            return
        clip_gradient(self.parameters, self._gradient_clip)
        parameters, means, squares, steps = map(list, zip(*used, strict=True))
        torch._foreach_add_(steps, 1)
        torch._fused_adam_(
            parameters,
            [parameter.grad for parameter in parameters],
            means,
            squares,
            [],
            steps,
            lr=self.learning_rate,
            beta1=self._betas[0],
            beta2=self._betas[1],
            weight_decay=0.0,
            eps=EPSILON,
            amsgrad=False,
            maximize=self._maximize,
        )

    def state_dict(self) -> dict[str, list[torch.Tensor]]:
        """Everything that a step changes, except the parameters."""
        return {"means": self._means, "squares": self._squares, "steps": self._steps}

    def load_state_dict(self, state: dict[str, list[torch.Tensor]]) -> None:
        """Continue from ``state``."""
        for name, present in self.state_dict().items():
            if len(state[name]) != len(present):
                raise ValueError(f"it has {len(state[name])} tensors of {name}, not {len(present)}")
            for tensor, saved in zip(present, state[name], strict=True):
                tensor.copy_(saved)


class ExtraAdam(Adam):
    """The extragradient variant of Adam.

    ``extrapolation`` takes an Adam step to a look-ahead point and remembers where it started; ``step`` takes a step
    from that start with the gradient at the look-ahead point. Both update Adam's moments.
    Reference: Gidel et al. (2019), "A variational inequality perspective on generative adversarial networks".
    """

    def __init__(self, parameters: Iterable[nn.Parameter], learning_rate: float, **options: Any) -> None:
        super().__init__(parameters, learning_rate, **options)
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
            parameter.data = origin  # swapping memory costs less than copying back
        self._origin = looked_ahead
        super().step()


def clip_gradient(parameters: list[nn.Parameter], max_norm: float | None) -> None:
    """Shrink the gradient to the Euclidean norm ``max_norm`` where it is longer; ``None``: leave it."""
    if max_norm is not None:
        nn.utils.clip_grad_norm_(parameters, max_norm)
