"""How many latents do the observations hold? An estimate from their principal variances."""

import warnings

import numpy as np

NUMERICAL_RANK = 1e-7
"""Directions with less than this share of the largest variance are rounding error of float32 data."""

CLEAR_GAP = 20.0
"""A fall of the variance by this factor from one direction to the next ends the signal."""

UNCLEAR_GAP = 4.0
"""A largest fall between this factor and the clear one may or may not be the end of the signal."""


def estimate_n_latents(x: np.ndarray) -> int:
    """The number of directions before the largest fall of the principal variances of ``x`` (samples, x_dim).

    Where no fall is clear, every direction in which ``x`` varies counts. Warns where the largest fall is neither
    clear nor negligible. Curved data vary in more directions than they have latents: for those, say how many.
    """
    variances = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
    rank = int((variances > variances[0] * NUMERICAL_RANK).sum()) if variances[0] > 0 else 0
    if rank < 2:
        return rank
    falls = variances[: rank - 1] / variances[1:rank]
    place, largest = int(falls.argmax()) + 1, float(falls.max())
    if largest >= CLEAR_GAP:
        return place
    if largest >= UNCLEAR_GAP:
        warnings.warn(
            f"the number of latents is unclear: the principal variances fall by a factor of {largest:.1f} after "
            f"direction {place} of {rank}; taking {rank}. Give n_latents to decide",
            stacklevel=3,
        )
    return rank
