"""The gradient of a coupling flow, written by hand.

At the sizes used in this package the time of a training step depends on the number of operations, not on their size,
and autograd triples that number. Written by hand, the whole chain is one node of autograd's graph. Inside it, arrays
are (coordinates, samples): the two halves of the coordinates are then contiguous, and so is everything computed from
one of them, which makes the operations on them several times as fast.
"""

from typing import Any

import torch
from torch.nn.functional import leaky_relu

HIDDEN_SLOPE = 0.1
"""Slope below zero of the leaky ReLUs inside the couplings."""

PER_BLOCK = 9
"""Parameters of a block: dense weight and bias, weight and bias of three layers, log slopes."""


class ChainGradient(torch.autograd.Function):
    """``apply(x, *parameters)`` gives ``y`` (samples, dim) and the mean over the samples of ``log |det dy/dx|``.

    ``parameters`` are those of :class:`pdgmm.models.coupling_flow.CouplingFlow` in the order of its layers.
    There is no gradient for ``x``.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, *parameters: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        samples = len(x)
        x = x.T.contiguous()
        weights = torch.stack(parameters[::PER_BLOCK])
        log_det = torch.linalg.slogdet(weights).logabsdet.sum()
        kept: list[torch.Tensor] = []
        for block in _blocks(parameters):
            weight, bias, w1, b1, w2, b2, w3, b3, log_slope = block
            fixed = w1.shape[1]
            h = torch.addmm(bias[:, None], weight, x)
            hidden1 = leaky_relu(torch.addmm(b1[:, None], w1, h[:fixed]), HIDDEN_SLOPE, inplace=True)
            hidden2 = leaky_relu(torch.addmm(b2[:, None], w2, hidden1), HIDDEN_SLOPE, inplace=True)
            log_scale, shift = torch.addmm(b3[:, None], w3, hidden2).chunk(2)
            log_scale = torch.tanh(log_scale)
            scale = log_scale.exp()
            y = torch.cat([h[:fixed], torch.addcmul(shift, h[fixed:], scale)])
            below = (y < 0).to(y.dtype).sum(1)
            log_det = log_det + (log_scale.sum() + below @ log_slope) / samples
            kept += [x, h, hidden1, hidden2, log_scale, scale, y, below]
            x = torch._prelu_kernel(y, log_slope.exp()[:, None])
        last_weight, last_bias = parameters[-2:]
        ctx.save_for_backward(x, weights, *parameters, *kept)
        return torch.addmm(last_bias[:, None], last_weight, x).T, log_det

    @staticmethod
    def backward(ctx: Any, grad_y: torch.Tensor, grad_log_det: torch.Tensor) -> tuple:
        x, weights, *rest = ctx.saved_tensors
        count = len(weights) - 1
        parameters, kept = rest[: PER_BLOCK * count + 2], rest[PER_BLOCK * count + 2 :]
        per_block = len(kept) // count
        grad_weights = grad_log_det * torch.linalg.inv(weights).mT
        per_sample = grad_log_det / x.shape[1]
        grad_y = grad_y.T.contiguous()
        grads = [torch.addmm(grad_weights[count], grad_y, x.T), grad_y.sum(1)]
        grad_x = parameters[-2].T @ grad_y
        for number in reversed(range(count)):
            block = parameters[PER_BLOCK * number : PER_BLOCK * (number + 1)]
            state = kept[per_block * number : per_block * (number + 1)]
            block_grads, grad_h = _block_gradients(block, state, grad_x, per_sample)
            grads = [grad_weights[number] + block_grads[0], *block_grads[1:], *grads]
            if number:
                grad_x = block[0].T @ grad_h
        return None, *grads


def _block_gradients(
    block: list[torch.Tensor], state: list[torch.Tensor], grad: torch.Tensor, per_sample: torch.Tensor
) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Gradients of a block's parameters and of its dense layer's output, given that of the block's output."""
    _, _, w1, _, w2, _, w3, _, log_slope = block
    x, h, hidden1, hidden2, log_scale, scale, y, below = state
    fixed = w1.shape[1]
    slope = log_slope.exp()
    grad, by_slope = torch.ops.aten._prelu_kernel_backward(grad, y, slope[:, None])
    grad_slope = by_slope.sum(1) * slope + per_sample * below
    grad_shift = grad[fixed:]
    grad_moved = grad_shift * scale
    # d tanh(a) / da = 1 - tanh(a)^2
    grad_log_scale = torch.ops.aten.tanh_backward(torch.addcmul(per_sample, grad_moved, h[fixed:]), log_scale)
    grad_out = torch.cat([grad_log_scale, grad_shift])
    grad_hidden2 = _through_leaky(w3.T @ grad_out, hidden2)
    grad_hidden1 = _through_leaky(w2.T @ grad_hidden2, hidden1)
    grad_fixed = torch.addmm(grad[:fixed], w1.T, grad_hidden1)
    grad_h = torch.cat([grad_fixed, grad_moved])
    return [
        grad_h @ x.T,
        grad_h.sum(1),
        grad_hidden1 @ h[:fixed].T,
        grad_hidden1.sum(1),
        grad_hidden2 @ hidden1.T,
        grad_hidden2.sum(1),
        grad_out @ hidden2.T,
        grad_out.sum(1),
        grad_slope,
    ], grad_h


def _through_leaky(grad: torch.Tensor, activated: torch.Tensor) -> torch.Tensor:
    # The activation keeps the sign, so its result tells which slope was used.
    return torch.ops.aten.leaky_relu_backward(grad, activated, HIDDEN_SLOPE, True)


def _blocks(parameters: tuple[torch.Tensor, ...]) -> list[tuple[torch.Tensor, ...]]:
    return [parameters[i : i + PER_BLOCK] for i in range(0, len(parameters) - 2, PER_BLOCK)]
