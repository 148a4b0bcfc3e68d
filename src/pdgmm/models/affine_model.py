"""Affine models, and the one that changes nothing."""

import numpy as np

from pdgmm.models.base import Model


class AffineModel(Model):
    """``encode(x) = (x - mean) @ weight.T + offset``.

    ``mean`` is (x_dim,), ``weight`` (code_dim, x_dim), and ``offset`` (code_dim,), which is zero by default.
    """

    kind = "affine"

    def __init__(self, mean: np.ndarray, weight: np.ndarray, offset: np.ndarray | None = None) -> None:
        self.mean = np.asarray(mean, dtype=np.float64)
        self.weight = np.asarray(weight, dtype=np.float64)
        self.offset = np.zeros(len(self.weight)) if offset is None else np.asarray(offset, dtype=np.float64)
        if self.weight.ndim != 2 or (self.offset.shape + self.mean.shape) != self.weight.shape:
            raise ValueError(
                f"mean {self.mean.shape}, weight {self.weight.shape} and offset {self.offset.shape} "
                "do not fit together"
            )

    def encode(self, x: np.ndarray, **seen: np.ndarray) -> np.ndarray:
        return ((x - self.mean) @ self.weight.T + self.offset).astype(np.float32)

    def padded(self, code_dim: int) -> "AffineModel":
        """The same model with further coordinates that are always 0, up to ``code_dim`` in all."""
        more = code_dim - len(self.weight)
        weight = np.pad(self.weight, [(0, more), (0, 0)])
        return AffineModel(self.mean, weight, np.pad(self.offset, (0, more)))

    def decode(self, code: np.ndarray) -> np.ndarray:
        """The shortest ``x - mean`` with these codes, plus ``mean``, as float32."""
        return ((code - self.offset) @ np.linalg.pinv(self.weight).T + self.mean).astype(np.float32)

    def mapped(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For every row: its code, no further coordinates, and the log of the volume factor inside the row space."""
        log_det = np.log(np.linalg.svd(self.weight, compute_uv=False)).sum()
        return self.encode(x), np.empty((len(x), 0)), np.full(len(x), log_det)

    def tensors(self) -> dict[str, np.ndarray]:
        return {"mean": self.mean, "weight": self.weight, "offset": self.offset}


class IdentityModel(Model):
    """``encode(x) = x``."""

    kind = "identity"

    def encode(self, x: np.ndarray, **seen: np.ndarray) -> np.ndarray:
        return np.asarray(x, dtype=np.float32)

    def decode(self, code: np.ndarray) -> np.ndarray:
        return np.asarray(code, dtype=np.float32)

    def mapped(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For every row: its code, no further coordinates, and 0, the log of the volume factor."""
        return self.encode(x), np.empty((len(x), 0)), np.zeros(len(x))
