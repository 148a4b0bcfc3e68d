"""Torch modules that methods are built from, and what ends a training with batch normalisation."""

from collections.abc import Callable, Sequence
from itertools import islice, pairwise
from typing import Any

import torch
from torch import nn

from pdgmm.fitting.samples import Samples
from pdgmm.fitting.training_loop import tensor_batches
from pdgmm.seeds import child_seed

MOST_BATCHES = 100
"""The most batches over which the running statistics of a batch normalisation are averaged."""


def leaky_mlp(sizes: Sequence[int], slope: float, *, batch_norm: bool = False) -> nn.Sequential:
    """Affine layers of the given ``sizes`` (input first) with leaky ReLUs of slope ``slope`` between them.

    ``batch_norm`` adds a batch normalisation with learned scale and shift to the output and drops the last layer's
    bias. The normalisation would cancel that bias, and Adam would turn the rounding errors in its gradient into a
    drift.
    """
    *hidden, last = pairwise(sizes)
    layers: list[nn.Module] = []
    for inputs, outputs in hidden:
        layers += [nn.Linear(inputs, outputs), nn.LeakyReLU(slope)]
    layers.append(nn.Linear(*last, bias=not batch_norm))
    if batch_norm:
        layers.append(nn.BatchNorm1d(sizes[-1]))
    return nn.Sequential(*layers)


class DeepLinear(nn.Module):
    """Affine layers without activations, ``x -> W_L (… (W_1 x + b_1) …) + b_L``: an affine map ``W x + b``.

    The layers are multiplied into one map before it is applied to the batch. Output and gradients are the same as
    with the layers one after the other, but the layers only cost as much as ``inputs + 1`` samples, whatever the
    batch size.
    """

    def __init__(self, sizes: Sequence[int], *, bias: bool = True) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(*shape, bias=bias) for shape in pairwise(sizes))
        last_row = torch.zeros(sizes[0] + 1, 1)
        last_row[-1] = 1
        self.register_buffer("_last_row", last_row, persistent=False)

    def multiplied_out(self) -> tuple[torch.Tensor, torch.Tensor | None]:
        """``W`` transposed (inputs, outputs) and ``b`` (outputs,), or ``None`` for a net without biases."""
        first, *others = self.layers
        if first.bias is None:
            rows = first.weight.T
            for layer in others:
                rows = rows @ layer.weight.T
            return rows, None
        # Rows: the images of the unit vectors without biases, and the image of 0 with all biases.
        # (The same with columns and W on the left is four times slower on CPUs.)
        rows = torch.cat([first.weight.T, first.bias[None]])
        for layer in others:
            rows = torch.addmm(self._last_row * layer.bias, rows, layer.weight.T)
        return rows[:-1], rows[-1]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.multiplied_out()
        return x @ weight if bias is None else torch.addmm(bias, x, weight)


@torch.no_grad()
def settle_batch_norm(
    norm: nn.BatchNorm1d,
    forward: Callable[[torch.Tensor], Any],
    data: Samples,
    *,
    batch_size: int,
    seed: int,
) -> None:
    """Set the running statistics of ``norm`` to averages over batches that ``forward(x)`` sends through it.

    During training the statistics lag behind the weights, which still change. If the input of ``norm`` has a small
    variance, this shifts the code by many times its size, and a decoder sees codes that it was never trained on. With
    averages at the final weights, over one epoch or ``MOST_BATCHES``, only shift and scale of each code change.
    """
    batches_per_epoch = max(1, data.n_samples // batch_size)
    batches = tensor_batches(
        data, batch_size, seed=child_seed(seed, "batch norm"), device=norm.running_mean.device
    )
    norm.train().reset_running_stats()
    momentum, norm.momentum = norm.momentum, None  # None: plain averages
    for batch in islice(batches, min(batches_per_epoch, MOST_BATCHES)):
        forward(batch["x"])
    norm.momentum = momentum
