"""Random injective networks with leaky ReLUs: layers that never get narrower."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

LARGEST_CONDITION = 10.0
"""The largest condition number of a layer's matrix; beyond it, a direction is almost lost."""


@dataclass(frozen=True)
class LeakyDecoder:
    """``h <- leaky(h W + b)``, layer after layer, without an activation after the last layer.

    ``weights[l]`` is (inputs, outputs) with full row rank and ``biases[l]`` (outputs,); with a slope above 0 every
    layer is injective, and so is the whole.
    """

    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]
    slope: float

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """Observations (count, x_dim), float64, of latents (count, n)."""
        h = np.asarray(z, dtype=np.float64)
        for place, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            h = h @ weight + bias
            if place < len(self.weights) - 1:
                h = np.where(h > 0, h, self.slope * h)
        return h

    def jacobian(self, z: np.ndarray) -> np.ndarray:
        """``dx/dz`` (count, x_dim, n) at latents (count, n)."""
        h = np.asarray(z, dtype=np.float64)
        tangents = np.eye(h.shape[1])[None]
        for place, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            h, tangents = h @ weight + bias, tangents @ weight
            if place < len(self.weights) - 1:
                tangents = tangents * np.where(h > 0, 1.0, self.slope)[:, None, :]
                h = np.where(h > 0, h, self.slope * h)
        return np.broadcast_to(tangents, (len(h), *tangents.shape[1:])).swapaxes(1, 2)

    def inverse(self, x: np.ndarray) -> np.ndarray:
        """The latents (count, n) of observations (count, x_dim) in the image of the network."""
        h = np.asarray(x, dtype=np.float64)
        for place in reversed(range(len(self.weights))):
            if place < len(self.weights) - 1:
                h = np.where(h > 0, h, h / self.slope)
            h = (h - self.biases[place]) @ np.linalg.pinv(self.weights[place])
        return h


def random_decoder(
    widths: Sequence[int],
    slope: float,
    z: np.ndarray,
    rng: np.random.Generator,
    *,
    largest_condition: float = LARGEST_CONDITION,
) -> LeakyDecoder:
    """A network with layers of these ``widths`` (inputs first) that bends where the latents ``z`` (count, n) are.

    Weights are Gaussian, and are drawn again while a matrix is worse conditioned than ``largest_condition``. Each
    unit is shifted and scaled so that on ``z`` it has variance 1 and its bend is within one standard deviation of its
    mean.
    """
    weights, biases = [], []
    h = np.asarray(z, dtype=np.float64)
    for inputs, outputs in pairwise(widths):
        while True:
            weight = rng.normal(size=(inputs, outputs))
            weight /= (h @ weight).std(axis=0)
            if largest_condition == np.inf or np.linalg.cond(weight) < largest_condition:
                break
        bias = rng.uniform(-1, 1, size=outputs) - (h @ weight).mean(axis=0)
        weights.append(weight)
        biases.append(bias)
        h = h @ weight + bias
        h = np.where(h > 0, h, slope * h)
    return LeakyDecoder(tuple(weights), tuple(biases), slope)
