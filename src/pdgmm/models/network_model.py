"""Encoders that are neural networks."""

from typing import Any, Self

import numpy as np
import torch
from torch import nn

from pdgmm.fitting.networks import leaky_mlp
from pdgmm.models.base import Encoder

BATCH_ROWS = 8192
"""Rows per forward pass; a constant, since the last bits of a matrix product depend on its shape."""


class NetworkEncoder(Encoder):
    """A leaky-ReLU network with batch normalisation on its output, and the decoder it was trained with.

    ``sizes`` are the encoder's layer sizes, input first; the decoder has them in reverse.
    """

    kind = "network"

    def __init__(self, sizes: list[int], slope: float) -> None:
        self._sizes = [int(size) for size in sizes]
        self._slope = float(slope)
        self.module = nn.ModuleDict(
            {
                "encoder": leaky_mlp(self._sizes, self._slope, batch_norm=True),
                "decoder": leaky_mlp(self._sizes[::-1], self._slope),
            }
        )

    def encode(self, x: np.ndarray) -> np.ndarray:
        return self._mapped("encoder", x)

    def decode(self, code: np.ndarray) -> np.ndarray:
        """Reconstructions (samples, x_dim) of ``code`` (samples, code_dim) as float32."""
        return self._mapped("decoder", code)

    def settings(self) -> dict[str, Any]:
        return {"sizes": self._sizes, "slope": self._slope}

    def tensors(self) -> dict[str, np.ndarray]:
        state = self.module.state_dict()
        return {name: tensor.cpu().numpy() for name, tensor in state.items()}

    @classmethod
    def restore(cls, settings: dict[str, Any], tensors: dict[str, np.ndarray]) -> Self:
        encoder = cls(**settings)
        # Copies: the arrays of a model file may be read-only, which torch does not know.
        encoder.module.load_state_dict({name: torch.tensor(array) for name, array in tensors.items()})
        return encoder

    @torch.no_grad()
    def _mapped(self, part: str, rows: np.ndarray) -> np.ndarray:
        network = self.module[part].train(False)
        device = next(network.parameters()).device
        rows = np.ascontiguousarray(rows, dtype=np.float32)
        blocks = [
            network(torch.from_numpy(rows[begin : begin + BATCH_ROWS]).to(device)).cpu().numpy()
            for begin in range(0, max(1, len(rows)), BATCH_ROWS)
        ]
        return np.concatenate(blocks)
