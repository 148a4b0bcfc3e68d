"""Models that are torch networks of any class in this package."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import nn

from pdgmm.errors import UserError
from pdgmm.models.base import Model

BATCH_ROWS = 8192
"""Rows per forward pass; constant, since the last bits of a matrix product depend on its shape."""


class CodingNetwork(nn.Module):
    """A network for :class:`NetworkModel`: built from JSON values, with ``encode`` and maybe ``decode``."""

    sees: ClassVar[tuple[str, ...]] = ()
    """The observed variables besides ``x`` that ``encode`` takes by name."""

    batch_rows: ClassVar[int] = BATCH_ROWS

    def encode(self, x: torch.Tensor, **seen: torch.Tensor) -> torch.Tensor:
        """Codes (samples, code_dim) of rows of observations (samples, x_dim)."""
        raise NotImplementedError

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        """Rows of observations with the given codes."""
        raise UserError(f"a {type(self).__name__} has no decoder")


class NetworkModel(Model):
    """A :class:`CodingNetwork`, saved as the name of its class, its arguments and its state dict."""

    kind = "network"

    def __init__(self, network: type[CodingNetwork], **arguments: Any) -> None:
        self.network = network(**arguments)
        self._arguments = arguments
        self.sees = self.network.sees
        self.block_rows = 8 * self.network.batch_rows

    def encode(self, x: np.ndarray, **seen: np.ndarray) -> np.ndarray:
        return self._mapped("encode", x, seen)

    def decode(self, code: np.ndarray) -> np.ndarray:
        return self._mapped("decode", code, {})

    def settings(self) -> dict[str, Any]:
        kind = type(self.network)
        return {"network": f"{kind.__module__}:{kind.__qualname__}", "arguments": self._arguments}

    def tensors(self) -> dict[str, np.ndarray]:
        state = self.network.state_dict()
        return {name: tensor.cpu().contiguous().numpy() for name, tensor in state.items()}

    @classmethod
    def restore(cls, settings: dict[str, Any], tensors: dict[str, np.ndarray]) -> Self:
        model = cls(_network_class(settings["network"]), **settings["arguments"])
        # Copies: the arrays of a model file may be read-only, which torch does not support.
        model.network.load_state_dict({name: torch.tensor(array) for name, array in tensors.items()})
        return model

    def _mapped(self, direction: str, rows: np.ndarray, seen: dict[str, np.ndarray]) -> np.ndarray:
        network = self.network.train(False)
        device = next(network.parameters()).device
        return in_batches(getattr(network, direction), rows, device, size=network.batch_rows, **seen)


@torch.no_grad()
def in_batches(
    function: Callable[..., torch.Tensor],
    rows: np.ndarray,
    device: torch.device,
    *,
    size: int = BATCH_ROWS,
    dtype: type = np.float32,
    **seen: np.ndarray,
) -> np.ndarray:
    """Apply ``function`` to ``rows`` (and to the named ``seen``), ``size`` rows at a time, on ``device``."""
    blocks = []
    for begin in range(0, max(1, len(rows)), size):
        part = slice(begin, begin + size)
        batch = torch.from_numpy(np.ascontiguousarray(rows[part], dtype=dtype)).to(device)
        others = {name: torch.from_numpy(values[part]).to(device) for name, values in seen.items()}
        blocks.append(function(batch, **others).cpu().numpy())
    return np.concatenate(blocks)


def _network_class(name: str) -> type[CodingNetwork]:
    """The class ``module:Class``; only networks of this package, so that a model file cannot run other code."""
    module, _, kind = str(name).partition(":")
    if not module.startswith("pdgmm.methods."):
        raise ValueError(f"its network {name!r} is not one of pdgmm.methods")
    found = getattr(import_module(module), kind)
    if not (isinstance(found, type) and issubclass(found, CodingNetwork)):
        raise ValueError(f"its network {name!r} is not a CodingNetwork")
    return found
