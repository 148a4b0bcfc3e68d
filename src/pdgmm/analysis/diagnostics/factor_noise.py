"""Factor analysis: a row is a few factors plus noise of every column's own; which part of it is which?

``x = mean + L z + e`` with noise ``e ~ N(0, diag(p))``. Divided by ``sqrt(p)`` the noise is the same in all
directions. So the projection ``y`` (n,) on the columns of ``L`` holds all that a row says of its factors, and the
other coordinates (d - n,) are noise alone. This is so whatever the distribution of the factors is, so a density of
``y`` times a Gaussian one of the noise is a density of the whole row.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

LEAST_NOISE = 1e-4
"""Least variance of a column's noise, in variances of the column: 40 dB below the column. Without it a factor that is
one column has no noise at all, and the likelihood no limit (a Heywood case)."""

MOST_STEPS, FEWEST_STEPS, TOLERANCE = 100, 5, 1e-3
"""Updates of the noise at most, and the largest relative change of a variance that ends them."""

MANY_COLUMNS = 150
"""With more columns there are fewer updates, as one takes longer: at 700 columns a tenth of a second."""

LEAST_REST = 1e-8
"""Least variance of the other coordinates: of data without noise, all that is left in them is rounding."""


@dataclass(frozen=True)
class Factors:
    """``axes`` (n, d) has orthonormal rows: of ``(x - mean) / noise`` they give the projection on the factors."""

    mean: np.ndarray
    noise: np.ndarray
    """(d,) standard deviations of the columns' noise."""
    axes: np.ndarray
    rest: float
    """Standard deviation of the other coordinates; 1 unless a column's noise is at its least value."""

    def project(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The factors' coordinates (rows, n) of ``x`` (rows, d), and the log-density (rows,) of all else.

        Both together, with the volume factor of the scaling, make up the density of a row.
        """
        scaled = (x - self.mean) / self.noise
        inside = scaled @ self.axes.T
        count = x.shape[1] - len(self.axes)
        squares = np.maximum((scaled**2).sum(axis=1) - (inside**2).sum(axis=1), 0.0)
        other = -0.5 * squares / self.rest**2 - count * (np.log(self.rest) + 0.5 * np.log(2 * np.pi))
        return inside, other - np.log(self.noise).sum()


def fit_factors(mean: np.ndarray, covariance: np.ndarray, n: int) -> Factors:
    """The likeliest ``n`` factors of rows with this ``mean`` (d,) and ``covariance`` (d, d), 1 <= n <= d.

    For given noise the likeliest axes are the first eigenvectors of the scaled covariance, and for given axes the
    noise of a column is the variance that they leave (Lawley and Maxwell, 1971): one after the other until it stays.
    """
    d = len(mean)
    variances = np.maximum(np.diag(covariance), np.finfo(np.float32).tiny)
    least = LEAST_NOISE * variances
    # From the same noise in every column: many factors leave the noise undetermined, and this is the simplest one.
    smallest = np.linalg.eigvalsh(covariance / np.sqrt(np.outer(variances, variances)))[: max(d - n, 1)]
    noise = np.maximum(smallest.mean(), LEAST_NOISE) * variances
    for _ in range(max(FEWEST_STEPS, round(MOST_STEPS * min(1.0, MANY_COLUMNS / d) ** 2))):
        scale = np.sqrt(noise)
        values, vectors = eigh(covariance / np.outer(scale, scale), subset_by_index=[d - n, d - 1])
        loadings = vectors * np.sqrt(np.maximum(values - 1, 0.0)) * scale[:, None]
        updated = np.maximum(variances - (loadings**2).sum(axis=1), least)
        change = np.abs(np.log(updated / noise)).max()
        noise = updated
        if change < TOLERANCE:
            break
    scale = np.sqrt(noise)
    values, vectors = eigh(covariance / np.outer(scale, scale), subset_by_index=[d - n, d - 1])
    left = (variances / noise).sum() - values.sum()
    rest = np.sqrt(max(left / (d - n), LEAST_REST)) if n < d else 1.0
    return Factors(mean, scale, vectors.T, float(rest))
