"""Pearson correlations between true and learned latents."""

from collections.abc import Callable

import numpy as np

from pdgmm.errors import UserError

UNMATCHED = -1
"""Marks a true latent without a learned one in an assignment."""


def checked_pair(z: np.ndarray, z_hat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both arrays as float64 (samples, latents); raises :class:`UserError` if they cannot be compared."""
    z, z_hat = np.asarray(z, dtype=np.float64), np.asarray(z_hat, dtype=np.float64)
    for name, array in (("true latents", z), ("learned latents", z_hat)):
        if array.ndim != 2 or 0 in array.shape:
            raise UserError(f"the {name} must have shape (samples, latents), they have {array.shape}")
        if not np.isfinite(array).all():
            bad = int((~np.isfinite(array).all(axis=1)).sum())
            raise UserError(
                f"the {name} hold NaN or infinity in {bad} of {len(array)} samples: no score exists"
            )
    if len(z) != len(z_hat):
        raise UserError(
            f"{len(z)} samples of true latents but {len(z_hat)} of learned ones: "
            "they must be encodings of the same samples"
        )
    if len(z) < 2:
        raise UserError("one sample is too few for a correlation: at least 2 are needed")
    return z, z_hat


def correlation(z: np.ndarray, z_hat: np.ndarray) -> np.ndarray:
    """Pearson correlation of every true with every learned latent: (samples, n) and (samples, d) give (n, d).

    The correlation with a constant column is not defined. It counts as 0, as for a latent that says nothing about the
    other.
    """
    z, z_hat = checked_pair(z, z_hat)
    return np.clip(_scaled(z, np.linalg.norm).T @ _scaled(z_hat, np.linalg.norm), -1.0, 1.0)


def centred(array: np.ndarray) -> np.ndarray:
    """Columns divided by their largest absolute value, minus their mean; constant columns become exactly 0.

    Correlations and R2 do not depend on the scale of a column.
    """
    largest = np.abs(array).max(axis=0)
    # Divided, so that squares of very large or very small values neither overflow nor vanish.
    array = array / np.where(largest > 0, largest, 1.0)
    # The mean of equal numbers may differ from them by rounding; their differences are exactly 0.
    array = array - array[0]
    return array - array.mean(axis=0)


def standardised(array: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and standard deviation 1; constant ones become 0."""
    return _scaled(array, np.std)


def _scaled(array: np.ndarray, size: Callable[..., np.ndarray]) -> np.ndarray:
    """Centred columns divided by their size; constant ones become 0."""
    array = centred(array)
    sizes = size(array, axis=0)
    return array / np.where(sizes > 0, sizes, 1.0)
