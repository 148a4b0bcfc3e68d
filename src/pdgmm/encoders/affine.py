"""Affine encoders."""

from typing import Any, Self

import numpy as np

from pdgmm.encoders.base import Encoder


class AffineEncoder(Encoder):
    """``encode(x) = (x - mean) @ weight.T`` with ``mean`` (x_dim,) and ``weight`` (code_dim, x_dim)."""

    kind = "affine"

    def __init__(self, mean: np.ndarray, weight: np.ndarray) -> None:
        self.mean = np.asarray(mean, dtype=np.float64)
        self.weight = np.asarray(weight, dtype=np.float64)
        if self.weight.ndim != 2 or self.mean.shape != (self.weight.shape[1],):
            raise ValueError(f"mean {self.mean.shape} and weight {self.weight.shape} do not fit together")

    def encode(self, x: np.ndarray) -> np.ndarray:
        return ((x - self.mean) @ self.weight.T).astype(np.float32)

    def settings(self) -> dict[str, Any]:
        return {}

    def tensors(self) -> dict[str, np.ndarray]:
        return {"mean": self.mean, "weight": self.weight}

    @classmethod
    def restore(cls, settings: dict[str, Any], tensors: dict[str, np.ndarray]) -> Self:
        return cls(**tensors)
