"""The promise every encoder keeps."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np


class Encoder(ABC):
    """A map from rows of observations (samples, x_dim) to rows of codes (samples, code_dim).

    ``settings`` (JSON values) and ``tensors`` (arrays) rebuild it: ``restore(settings(), tensors())``.
    """

    kind: ClassVar[str]

    @abstractmethod
    def encode(self, x: np.ndarray) -> np.ndarray:
        """Codes of ``x`` as float32, one row a sample."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """JSON values that say how the encoder is built."""

    @abstractmethod
    def tensors(self) -> dict[str, np.ndarray]:
        """The learned arrays by name."""

    @classmethod
    @abstractmethod
    def restore(cls, settings: dict[str, Any], tensors: dict[str, np.ndarray]) -> Self:
        """The encoder that ``settings`` and ``tensors`` describe."""
