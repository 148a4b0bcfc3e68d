"""What a VaDE leaves behind: the network of its posterior means, for raw samples."""

from collections.abc import Iterator

import torch
from torch import nn

from pdgmm.methods.vade.vade_model import VadeModel
from pdgmm.models.network_model import NetworkEncoder


@torch.no_grad()
def write_to_encoder(model: VadeModel, encoder: NetworkEncoder) -> None:
    """Make ``encoder``, of the model's sizes, encode raw samples to the posterior means of ``model``.

    The standardisation becomes part of the first layer (in float64), the last layer's bias the shift of a batch
    normalisation that does nothing else. ``encoder.decode`` gives raw samples for a linear output. The logistic
    function of a sigmoid output is no part of such an encoder: there it gives the decoder's last layer before it.
    """
    mean, deviation = model.input_mean.double(), model.input_deviation.double()
    *hidden, last = _affine(model.encoder)
    layers = [*hidden, (last[0][: model.latents], last[1][: model.latents])]
    weight, bias = layers[0]
    layers[0] = weight / deviation, bias - weight @ (mean / deviation)
    *inner, outer = (layer for layer in encoder.module["encoder"] if isinstance(layer, nn.Linear))
    for layer, (weight, bias) in zip(inner, layers[:-1], strict=True):
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    outer.weight.copy_(layers[-1][0])
    norm = encoder.module["encoder"][-1]
    norm.reset_running_stats()
    norm.weight.fill_((1 + norm.eps) ** 0.5)  # undoes the division by the running deviation
    norm.bias.copy_(layers[-1][1])

    layers = list(_affine(model.decoder))
    if isinstance(model.output, nn.Identity):
        weight, bias = layers[-1]
        layers[-1] = deviation[:, None] * weight, deviation * bias + mean
    own = (layer for layer in encoder.module["decoder"] if isinstance(layer, nn.Linear))
    for layer, (weight, bias) in zip(own, layers, strict=True):
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)


def _affine(network: nn.Sequential) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Weight and bias of every affine layer, in float64."""
    for layer in network:
        if isinstance(layer, nn.Linear):
            yield layer.weight.double(), layer.bias.double()
