"""Pearson correlations between true and learned latents."""

import numpy as np

from pdgmm.errors import UserError

UNMATCHED = -1
"""Stands in an assignment where there are fewer learned than true latents."""


def checked_pair(z: np.ndarray, z_hat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both arrays as float64 (samples, latents); a :class:`UserError` where they cannot be compared."""
    pair = []
    for name, array in (("true latents", z), ("learned latents", z_hat)):
        array = np.asarray(array, dtype=np.float64)
        if array.ndim != 2 or 0 in array.shape:
            raise UserError(f"the {name} must have shape (samples, latents), they have {array.shape}")
        if not np.isfinite(array).all():
            bad = int((~np.isfinite(array).all(axis=1)).sum())
            raise UserError(
                f"the {name} hold NaN or infinity in {bad} of {len(array)} samples: no score exists"
            )
        pair.append(array)
    if len(pair[0]) != len(pair[1]):
        raise UserError(
            f"{len(pair[0])} samples of true latents but {len(pair[1])} of learned ones: "
            "they must be encodings of the same samples"
        )
    if len(pair[0]) < 2:
        raise UserError("one sample is too few for a correlation: at least 2 are needed")
    return pair[0], pair[1]


def correlation(z: np.ndarray, z_hat: np.ndarray) -> np.ndarray:
    """Pearson correlation of every true with every learned latent: (samples, n) and (samples, d) give (n, d).

    A constant column has no correlation with anything; it counts as 0, the value of a latent that tells
    nothing about the other.
    """
    z, z_hat = checked_pair(z, z_hat)
    return np.clip(_unit_columns(z).T @ _unit_columns(z_hat), -1.0, 1.0)


def centred(array: np.ndarray) -> np.ndarray:
    """Columns divided by their largest absolute value, minus their mean; constant columns become exactly 0.

    Correlations and R2 do not depend on the scale of a column.
    """
    largest = np.abs(array).max(axis=0)
    # So that squares of very large or very small values neither overflow nor vanish.
    array = array / np.where(largest > 0, largest, 1.0)
    # The mean of equal numbers may differ from them by rounding; their differences are exactly 0.
    array = array - array[0]
    return array - array.mean(axis=0)


def standardised(array: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and standard deviation 1; constant ones become 0."""
    array = centred(array)
    deviation = array.std(axis=0)
    return array / np.where(deviation > 0, deviation, 1.0)


def _unit_columns(array: np.ndarray) -> np.ndarray:
    array = centred(array)
    norm = np.linalg.norm(array, axis=0)
    return array / np.where(norm > 0, norm, 1.0)
