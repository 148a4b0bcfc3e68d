"""What every model can do."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from pdgmm.errors import UserError


class Model(ABC):
    """A map from rows of observations (samples, x_dim) to rows of codes (samples, code_dim), and back if it can.

    ``settings`` (JSON values) and ``tensors`` (arrays) rebuild it: ``restore(settings(), tensors())``.
    """

    kind: ClassVar[str]

    sees: tuple[str, ...] = ()
    """The observed variables besides ``x`` that ``encode`` is given by name (``u``)."""

    block_rows: int = 65_536
    """Rows that are encoded at a time; constant, since the last bits of a matrix product depend on its shape."""

    @abstractmethod
    def encode(self, x: np.ndarray, **seen: np.ndarray) -> np.ndarray:
        """Codes of ``x`` as float32, one row per sample."""

    def decode(self, code: np.ndarray) -> np.ndarray:
        """Observations (samples, x_dim) with the given codes, as float32."""
        raise UserError(
            f"a model of the kind {self.kind!r} without a decoder cannot turn codes into observations"
        )

    def settings(self) -> dict[str, Any]:
        """JSON values that say how the model is built."""
        return {}

    def tensors(self) -> dict[str, np.ndarray]:
        """The learned arrays by name."""
        return {}

    @classmethod
    def restore(cls, settings: dict[str, Any], tensors: dict[str, np.ndarray]) -> Self:
        """The model that ``settings`` and ``tensors`` describe."""
        return cls(**tensors)
