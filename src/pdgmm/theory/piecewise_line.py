"""Continuous piecewise affine functions of one variable: the decoders whose likelihood is known exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

DIGITS = 9
"""Two functions are the same if their numbers agree to this many decimals."""


@dataclass(frozen=True)
class PiecewiseLine:
    """``f(z) = slopes[r] z + offsets[r]`` for z between ``breaks[r - 1]`` and ``breaks[r]``.

    ``breaks`` (R,) increase; ``slopes`` and ``offsets`` (R + 1,) are those of the pieces, from left to right.
    """

    breaks: tuple[float, ...]
    slopes: tuple[float, ...]
    offsets: tuple[float, ...]

    @classmethod
    def through(
        cls, breaks: Sequence[float], slopes: Sequence[float], offsets: Sequence[float]
    ) -> "PiecewiseLine":
        """The function with these pieces in canonical form: rounded, and with pieces joined if there is no bend."""
        pieces = [(slopes[0], offsets[0])]
        kept: list[float] = []
        for place, piece in zip(breaks, zip(slopes[1:], offsets[1:], strict=True), strict=True):
            if np.allclose(piece, pieces[-1], rtol=0, atol=10.0**-DIGITS):
                continue
            kept.append(place)
            pieces.append(piece)
        # Adding 0 turns -0.0 into 0.0.
        rounded = [
            tuple(round(float(value), DIGITS) + 0.0 for value in values)
            for values in zip(*pieces, strict=True)
        ]
        return cls(tuple(round(float(place), DIGITS) + 0.0 for place in kept), *rounded)

    @classmethod
    def two_relus(
        cls, alpha: tuple[float, float], beta: tuple[float, float], bias: tuple[float, float]
    ) -> "PiecewiseLine":
        """``alpha_1 ReLU(beta_1 z + bias_1) + alpha_2 ReLU(beta_2 z + bias_2)``."""
        neurons = list(zip(alpha, beta, bias, strict=True))
        breaks = sorted({-p / b for _, b, p in neurons if b != 0})
        # A point inside each piece says which neurons are active there.
        inside = (
            [
                (low + high) / 2
                for low, high in zip([breaks[0] - 2, *breaks], [*breaks, breaks[-1] + 2], strict=True)
            ]
            if breaks
            else [0.0]
        )
        active = [[(a, b, p) for a, b, p in neurons if b * z + p > 0] for z in inside]
        slopes = [sum(a * b for a, b, _ in piece) for piece in active]
        offsets = [sum(a * p for a, _, p in piece) for piece in active]
        return cls.through(breaks, slopes, offsets)

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """``f(z)``, with the shape of ``z``."""
        piece = np.searchsorted(self.breaks, z)
        return np.asarray(self.slopes)[piece] * z + np.asarray(self.offsets)[piece]

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Where each piece begins and ends."""
        return list(zip((-np.inf, *self.breaks), (*self.breaks, np.inf), strict=True))

    @property
    def constant(self) -> bool:
        """Whether f has only one value."""
        return not any(self.slopes)

    def preimages(self, x: float) -> int:
        """How many z have ``f(z) = x``, for an x that is not the value at a break."""
        count = 0
        for (low, high), slope, offset in zip(self.intervals, self.slopes, self.offsets, strict=True):
            count += slope != 0 and low < (x - offset) / slope < high
        return count

    @property
    def weakly_injective(self) -> bool:
        """Assumption (F2) of Kivva et al. (2022): not constant, and on some interval every value has one preimage."""
        if self.constant:
            return False
        values = sorted({float(self(np.array(place))) for place in self.breaks})
        # Between the values at the breaks the number of preimages does not change.
        between = [(low + high) / 2 for low, high in pairwise(values)]
        probes = [values[0] - 1, *between, values[-1] + 1] if values else [0.0]
        return any(self.preimages(x) == 1 for x in probes)

    def before(self, sign: int, shift: float) -> "PiecewiseLine":
        """``z -> f(sign * z + shift)`` for a ``sign`` of 1 or -1."""
        breaks = [sign * (place - shift) for place in self.breaks][::sign]
        slopes = [sign * slope for slope in self.slopes][::sign]
        offsets = [slope * shift + offset for slope, offset in zip(self.slopes, self.offsets, strict=True)][
            ::sign
        ]
        return PiecewiseLine.through(breaks, slopes, offsets)
