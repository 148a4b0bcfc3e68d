"""The gradient of a coupling flow, written by hand.

At the sizes used in this package the time of a training step depends on the number of operations, not on their size,
and autograd triples that number. Written by hand, the whole chain is one node of autograd's graph.
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
        weights = torch.stack(parameters[::PER_BLOCK])
        log_det = torch.linalg.slogdet(weights).logabsdet.sum()
        kept: list[torch.Tensor] = []
        for block in _blocks(parameters):
            weight, bias, w1, b1, w2, b2, w3, b3, log_slope = block
            fixed = w1.shape[1]
            h = torch.addmm(bias, x, weight.T)
            hidden1 = leaky_relu(torch.addmm(b1, h[:, :fixed], w1.T), HIDDEN_SLOPE, inplace=True)
            hidden2 = leaky_relu(torch.addmm(b2, hidden1, w2.T), HIDDEN_SLOPE, inplace=True)
            log_scale, shift = torch.addmm(b3, hidden2, w3.T).chunk(2, dim=1)
            log_scale = torch.tanh(log_scale)
            scale = log_scale.exp()
            y = torch.cat([h[:, :fixed], torch.addcmul(shift, h[:, fixed:], scale)], dim=1)
            below = (y < 0).to(y.dtype)
            factor = torch.addcmul(torch.ones_like(log_slope), below, torch.expm1(log_slope))
            log_det = log_det + (log_scale.sum() + below.sum(0) @ log_slope) / samples
            kept += [x, h, hidden1, hidden2, log_scale, scale, y, below, factor]
            x = y * factor
        last_weight, last_bias = parameters[-2:]
        ctx.save_for_backward(x, weights, *parameters, *kept)
        return torch.addmm(last_bias, x, last_weight.T), log_det

    @staticmethod
    def backward(ctx: Any, grad_y: torch.Tensor, grad_log_det: torch.Tensor) -> tuple:
        x, weights, *rest = ctx.saved_tensors
        count = len(weights) - 1
        parameters, kept = rest[: PER_BLOCK * count + 2], rest[PER_BLOCK * count + 2 :]
        grad_weights = grad_log_det * torch.linalg.inv(weights).mT
        per_sample = grad_log_det / len(x)
        grads = [grad_weights[count] + grad_y.T @ x, grad_y.sum(0)]
        grad_x = grad_y @ parameters[-2]
        for number in reversed(range(count)):
            block = parameters[PER_BLOCK * number : PER_BLOCK * (number + 1)]
            state = kept[PER_BLOCK * number : PER_BLOCK * (number + 1)]
            block_grads, grad_h = _block_gradients(block, state, grad_x, per_sample)
            grads = [grad_weights[number] + block_grads[0], *block_grads[1:], *grads]
            if number:
                grad_x = grad_h @ block[0]
        return None, *grads


def _block_gradients(
    block: list[torch.Tensor], state: list[torch.Tensor], grad: torch.Tensor, per_sample: torch.Tensor
) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Gradients of a block's parameters and of its dense layer's output, given that of the block's output."""
    _, _, w1, _, w2, _, w3, _, log_slope = block
    x, h, hidden1, hidden2, log_scale, scale, y, below, factor = state
    fixed = w1.shape[1]
    grad_slope = (grad * y * below).sum(0) * log_slope.exp() + per_sample * below.sum(0)
    grad = grad * factor
    grad_shift = grad[:, fixed:]
    grad_moved = grad_shift * scale
    # d tanh(a) / da = 1 - tanh(a)^2
    grad_log_scale = (grad_moved * h[:, fixed:] + per_sample) * (1 - log_scale.square())
    grad_out = torch.cat([grad_log_scale, grad_shift], dim=1)
    grad_hidden2 = _through_leaky(grad_out @ w3, hidden2)
    grad_hidden1 = _through_leaky(grad_hidden2 @ w2, hidden1)
    grad_fixed = torch.addmm(grad[:, :fixed], grad_hidden1, w1)
    grad_h = torch.cat([grad_fixed, grad_moved], dim=1)
    return [
        grad_h.T @ x,
        grad_h.sum(0),
        grad_hidden1.T @ h[:, :fixed],
        grad_hidden1.sum(0),
        grad_hidden2.T @ hidden1,
        grad_hidden2.sum(0),
        grad_out.T @ hidden2,
        grad_out.sum(0),
        grad_slope,
    ], grad_h


def _through_leaky(grad: torch.Tensor, activated: torch.Tensor) -> torch.Tensor:
    # The activation keeps the sign, so its result tells which slope was used.
    return torch.ops.aten.leaky_relu_backward(grad, activated, HIDDEN_SLOPE, True)


def _blocks(parameters: tuple[torch.Tensor, ...]) -> list[tuple[torch.Tensor, ...]]:
    return [parameters[i : i + PER_BLOCK] for i in range(0, len(parameters) - 2, PER_BLOCK)]
