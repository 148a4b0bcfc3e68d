"""Batch normalisation at the end of a training: statistics of the final weights."""

from collections.abc import Callable
from itertools import islice
from typing import Any

import torch
from torch import nn

from pdgmm.fitting.learners import Batch
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.training_loop import tensor_batches
from pdgmm.seeds import child_seed

MOST_BATCHES = 100


@torch.no_grad()
def settle_batch_norm(
    norm: nn.BatchNorm1d,
    forward: Callable[[Batch], Any],
    data: Samples,
    *,
    batch_size: int,
    seed: int,
) -> None:
    """Set the running statistics of ``norm`` to averages over batches that ``forward`` sends through it.

    In training they trail behind weights that still move. Where the norm's input has a small variance, this
    shifts the code by many times its size, and a decoder sees codes it was never trained on. Averages at the
    final weights, over one epoch or ``MOST_BATCHES``, differ from them in shift and scale of each code only.
    """
    batches_per_epoch = max(1, data.n_samples // batch_size)
    batches = tensor_batches(
        data, batch_size, seed=child_seed(seed, "batch norm"), device=norm.running_mean.device
    )
    norm.train().reset_running_stats()
    momentum, norm.momentum = norm.momentum, None  # None: plain averages
    for batch in islice(batches, min(batches_per_epoch, MOST_BATCHES)):
        forward(batch)
    norm.momentum = momentum
