"""The components of the mixture themselves: which sets of latents are active together, and how often.

``p(y) = sum_S weight_S prod_{i not in S} N(y_i; c_i, e_i^2) N(y_S; m_S, C_SS)``

with one mean ``m`` and covariance ``C`` for all supports ``S``: the likelihood of a potentially degenerate
Gaussian mixture whose components are masked versions of one Gaussian.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

FEWEST_SAMPLES = 5
"""A set of latents is a candidate if at least so many samples have exactly these active ones."""

SUPPORT_COST = 0.002
"""Share of the samples that each support loses in an EM step, so that it has to win more than that by itself.

As in a minimum message length (Figueiredo and Jain, 2002), but more than half a sample for each parameter: many
candidates only differ from a true support in an active value near zero.
"""

JITTER = 1e-4


class Supports(NamedTuple):
    """``active`` (count, n) of booleans, most frequent first, and their ``weights`` (count,), which add up to 1."""

    active: np.ndarray
    weights: np.ndarray


def find_supports(
    code: np.ndarray,
    spike_probability: np.ndarray,
    *,
    most: int = 600,
    iterations: int = 40,
) -> Supports:
    """The supports of ``code`` (samples, n), whose spikes are at 0 and whose slabs have scale 1.

    ``spike_probability`` (samples, n) says how likely each value is masked. Candidates are the most frequent
    sets of latents; EM learns their weights and drops those that others explain.
    """
    active = spike_probability < 0.5
    patterns, counts = np.unique(active, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    order = order[counts[order] >= min(FEWEST_SAMPLES, counts.max())]
    patterns, weights = patterns[order], counts[order] / counts[order].sum()
    width = np.sqrt(np.maximum((spike_probability * code**2).sum(0) / spike_probability.sum(0), JITTER**2))
    mean, covariance = _moments(code, active.astype(float))
    for _ in range(iterations):
        logs = np.log(weights) + np.column_stack(
            [_log_density(code, pattern, width, mean, covariance) for pattern in patterns]
        )
        responsibility = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        mean, covariance = _moments(code, responsibility @ patterns)
        won = np.maximum(responsibility.mean(0) - SUPPORT_COST, 0)
        if not won.any():
            break
        patterns, weights = patterns[won > 0], won[won > 0] / won.sum()
    order = np.argsort(-weights, kind="stable")
    return Supports(patterns[order], weights[order])


def _moments(code: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean (n,) and covariance (n, n) of the latents while active; pairs from samples where both are."""
    mean = (active * code).sum(0) / np.maximum(active.sum(0), 1)
    deviation = active * (code - mean)
    together = active.T @ active
    covariance = deviation.T @ deviation / np.maximum(together, 1)
    values, vectors = np.linalg.eigh(covariance)
    return mean, (vectors * np.maximum(values, JITTER)) @ vectors.T


def _log_density(
    code: np.ndarray, pattern: np.ndarray, width: np.ndarray, mean: np.ndarray, covariance: np.ndarray
) -> np.ndarray:
    spike = code[:, ~pattern] / width[~pattern]
    total = -0.5 * (spike**2).sum(1) - np.log(width[~pattern]).sum()
    if pattern.any():
        factor = np.linalg.cholesky(covariance[np.ix_(pattern, pattern)])
        standard = np.linalg.solve(factor, (code[:, pattern] - mean[pattern]).T)
        total -= 0.5 * (standard**2).sum(0) + np.log(np.diag(factor)).sum()
    return total - 0.5 * np.log(2 * np.pi) * code.shape[1]
