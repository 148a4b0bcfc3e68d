"""The exact density of ``x = f(z) + noise`` for a Gaussian mixture z and a piecewise affine f of one variable."""

import numpy as np
from scipy.special import log_ndtr, logsumexp

from pdgmm.theory.piecewise_line import PiecewiseLine


def log_component_densities(
    x: np.ndarray, line: PiecewiseLine, means: np.ndarray, *, spread: float, noise: float
) -> np.ndarray:
    """``log p(x)`` (means, points) for ``z ~ N(mean, spread^2)`` and ``x = f(z) + N(0, noise^2)``.

    On a piece with slope s, offset t and interval (l, u), z and x are jointly Gaussian, so that

    ``p(x) = sum_r N(x; s mean + t, V) [Phi((u - m) / v) - Phi((l - m) / v)]``,

    with ``V = s^2 spread^2 + noise^2``, ``m = (noise^2 mean + s spread^2 (x - t)) / V`` and
    ``v^2 = noise^2 spread^2 / V``: no numerical integration. All in logarithms, since values in the tails are tiny.
    """
    x, means = np.asarray(x, float)[None], np.asarray(means, float)[:, None]
    pieces = []
    for (low, high), slope, offset in zip(line.intervals, line.slopes, line.offsets, strict=True):
        total = slope**2 * spread**2 + noise**2
        middle = (noise**2 * means + slope * spread**2 * (x - offset)) / total
        width = noise * spread / np.sqrt(total)
        log_normal = -0.5 * ((x - slope * means - offset) ** 2 / total + np.log(2 * np.pi * total))
        pieces.append(log_normal + _log_between((low - middle) / width, (high - middle) / width))
    return logsumexp(pieces, axis=0)


def log_mixture_densities(log_components: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``log sum_k weights[g, k] exp(log_components[k, i])``, (mixtures, points)."""
    # Dividing by the largest term at each point keeps it at 1; smaller terms may vanish.
    largest = log_components.max(axis=0)
    with np.errstate(divide="ignore"):
        plain = np.log(weights @ np.exp(log_components - largest)) + largest
        missing = ~np.isfinite(plain)
        if missing.any():
            rows = np.flatnonzero(missing.any(axis=1))
            plain[rows] = logsumexp(np.log(weights[rows])[:, :, None] + log_components, axis=1)
    return plain


def _log_between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """``log(Phi(high) - Phi(low))`` without cancellation in either tail."""
    # In the right tail Phi is 1 up to rounding. The mirrored interval has the same probability and is exact.
    mirrored = low > -high
    low, high = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
    log_high, log_low = log_ndtr(high), log_ndtr(low)
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = log_high + np.log1p(-np.exp(log_low - log_high))
    return np.where(high > low, inside, -np.inf)
