"""Encoders of images: networks that were trained to draw the images again."""

from typing import Any, Self

import numpy as np
import torch
from torch import nn

from pdgmm.methods.image_features.image_networks import CnnNetwork, KeypointNetwork
from pdgmm.models.base import Encoder

BATCH_ROWS = 250
"""Images per forward pass; a constant, since the last bits of a result depend on it."""

WHITE = 255.0

NETWORKS: dict[str, type[nn.Module]] = {"keypoints": KeypointNetwork, "cnn": CnnNetwork}


class ImageEncoder(Encoder):
    """The code of a reconstruction network.

    Rows are images of shape ``image_shape`` (height, width, colours) with values from 0 to 255; ``network`` is a
    name in ``NETWORKS`` and ``arguments`` what it is built with beside the shape.
    """

    kind = "image"

    def __init__(self, network: str, image_shape: list[int], arguments: dict[str, Any]) -> None:
        self._name = network
        self._shape = tuple(int(size) for size in image_shape)
        self._arguments = dict(arguments)
        self.network = NETWORKS[network](self._shape, **self._arguments)

    def images(self, rows: torch.Tensor) -> torch.Tensor:
        """Rows (count, x_dim) as images (count, colours, height, width) between 0 and 1."""
        images = (rows / WHITE).view(-1, *self._shape).permute(0, 3, 1, 2)
        return images.contiguous(memory_format=torch.channels_last)

    @torch.no_grad()
    def encode(self, x: np.ndarray) -> np.ndarray:
        self.network.train(False)
        return self._in_batches(x, lambda rows: self.network.encode(self.images(rows)))

    @torch.no_grad()
    def decode(self, code: np.ndarray) -> np.ndarray:
        """Images (samples, x_dim), from 0 to 255, that ``code`` (samples, code_dim) stands for."""
        self.network.train(False)

        def drawn(rows: torch.Tensor) -> torch.Tensor:
            images = self.network.decode(rows).clamp(0, 1) * WHITE
            return images.permute(0, 2, 3, 1).flatten(1)

        return self._in_batches(code, drawn)

    def settings(self) -> dict[str, Any]:
        return {"network": self._name, "image_shape": list(self._shape), "arguments": self._arguments}

    def tensors(self) -> dict[str, np.ndarray]:
        state = self.network.state_dict()
        return {name: tensor.cpu().contiguous().numpy() for name, tensor in state.items()}

    @classmethod
    def restore(cls, settings: dict[str, Any], tensors: dict[str, np.ndarray]) -> Self:
        encoder = cls(**settings)
        # Copies: the arrays of a model file may be read-only, which torch does not know.
        encoder.network.load_state_dict({name: torch.tensor(array) for name, array in tensors.items()})
        encoder.network.to(memory_format=torch.channels_last)
        return encoder

    def _in_batches(self, rows: np.ndarray, apply) -> np.ndarray:  # noqa: ANN001
        device = next(self.network.parameters()).device
        blocks = [
            apply(torch.from_numpy(rows[begin : begin + BATCH_ROWS].astype(np.float32)).to(device))
            .cpu()
            .numpy()
            for begin in range(0, max(1, len(rows)), BATCH_ROWS)
        ]
        return np.concatenate(blocks)
