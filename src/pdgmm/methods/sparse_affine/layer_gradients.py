"""The gradient of a deep linear net, in memory that every step uses again."""

import torch

from pdgmm.fitting.networks import DeepLinear


class LayerGradients:
    """The map of a deep linear net as one tensor, and the way of its gradient back to the layers.

    With ``R_1 = W_1'`` (and the row ``b_1'`` below it if there are biases) and ``R_l = R_{l-1} W_l'`` (``b_l``
    added to the last row), ``R_L`` is the map. If ``D_L`` is its gradient, ``D_{l-1} = D_l W_l``; the gradient of
    ``W_l`` is ``D_l' R_{l-1}`` and that of ``b_l`` the last row of ``D_l``. Autograd computes the same, but allocates
    the gradient of each layer in each step, and a step is bound by moving memory.
    """

    def __init__(self, net: DeepLinear) -> None:
        self._layers = list(net.layers)
        first = self._layers[0]
        rows = first.in_features + (first.bias is not None)
        self._rows = [first.weight.new_empty(rows, layer.out_features) for layer in self._layers]
        self._gradients = [torch.empty_like(product) for product in self._rows]
        for parameter in net.parameters():
            parameter.grad = torch.zeros_like(parameter)

    @torch.no_grad()
    def multiplied_out(self) -> torch.Tensor:
        """The map (inputs, outputs), with a last row for the image of 0 if there are biases: a leaf for autograd."""
        first, *others = self._layers
        self._rows[0][: first.in_features] = first.weight.T
        if first.bias is not None:
            self._rows[0][-1] = first.bias
        for layer, before, after in zip(others, self._rows, self._rows[1:], strict=False):
            torch.mm(before, layer.weight.T, out=after)
            if layer.bias is not None:
                after[-1] += layer.bias
        self._map = self._rows[-1].detach().requires_grad_()
        return self._map

    @torch.no_grad()
    def carry_back(self) -> None:
        """Overwrite the gradients of the layers with those that follow from the gradient of the map."""
        self._gradients[-1].copy_(self._map.grad)
        for index in range(len(self._layers) - 1, 0, -1):
            layer, gradient = self._layers[index], self._gradients[index]
            torch.mm(gradient.T, self._rows[index - 1], out=layer.weight.grad)
            if layer.bias is not None:
                layer.bias.grad.copy_(gradient[-1])
            torch.mm(gradient, layer.weight, out=self._gradients[index - 1])
        first, gradient = self._layers[0], self._gradients[0]
        first.weight.grad.copy_(gradient[: first.in_features].T)
        if first.bias is not None:
            first.bias.grad.copy_(gradient[-1])
