"""Dependent uniform variables: a Gaussian copula with one correlation between all pairs."""

import numpy as np
from scipy.special import ndtr


def dependent_uniform(count: int, n: int, correlation: float, rng: np.random.Generator) -> np.ndarray:
    """Values (count, n) that are uniform between 0 and 1, with ``correlation`` >= 0 of the normals behind them."""
    shared, own = rng.normal(size=(count, 1)), rng.normal(size=(count, n))
    return ndtr(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)
