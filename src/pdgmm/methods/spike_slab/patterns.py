"""The components of the mixture: which sets of latents are active together, and how often.

``p(u) = sum_S weight_S prod_{i not in S} N(u_i; 0, e_i^2) N(u_S; m_S, C_SS)``

with ``u`` the deviations of the latents from where they rest, and one mean ``m`` and covariance ``C`` for all
supports ``S``: the likelihood of a potentially degenerate Gaussian mixture whose components mask one Gaussian.
"""

from typing import NamedTuple

import numpy as np
import torch

from pdgmm.fitting.gaussian_mixtures import gaussian_log_densities

FEWEST_SAMPLES = 5
"""A set of latents is a candidate if in at least this many samples exactly these latents are active."""

SUPPORT_COST = 0.002
"""The share of the samples that each support loses in an EM step; it survives only if it explains more than that.

As with a minimum message length (Figueiredo and Jain, 2002), but more than half a sample per parameter: many
candidates arise from a true support only because an active value is near zero.
"""

JITTER = 1e-4


class Supports(NamedTuple):
    """``active`` (count, n) of zeros and ones, most frequent first, and ``weights`` (count,), which add up to 1.

    ``mean`` (n,) and ``covariance`` (n, n) are those of active latents, ``width`` (n,) that of resting ones.
    """

    active: torch.Tensor
    weights: torch.Tensor
    mean: torch.Tensor
    covariance: torch.Tensor
    width: torch.Tensor


def find_supports(
    code: torch.Tensor, spike_probability: torch.Tensor, *, most: int = 600, iterations: int = 40
) -> Supports:
    """The supports of ``code`` (samples, n), whose spikes are at 0 and whose slabs have a scale near 1.

    ``spike_probability`` (samples, n) is the probability that each value is masked. Candidates are the most frequent
    sets of active latents; EM learns their weights and drops those that others explain.
    """
    likely = (spike_probability < 0.5).to(code)
    patterns, counts = np.unique(likely.numpy().astype(bool), axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    order = order[counts[order] >= min(FEWEST_SAMPLES, counts.max())]
    active, weights = torch.from_numpy(patterns[order]).to(code), torch.from_numpy(counts[order]).to(code)
    weights = weights / weights.sum()
    resting = (spike_probability * code**2).sum(0) / spike_probability.sum(0)
    width = resting.clamp_min(JITTER**2).sqrt()
    mean, covariance = _moments(code, likely)
    for _ in range(iterations):
        densities = pattern_log_densities(code, active, mean, covariance, width)
        responsibility = torch.softmax(weights.log() + densities, dim=1)
        mean, covariance = _moments(code, responsibility @ active)
        won = (responsibility.mean(0) - SUPPORT_COST).clamp_min(0)
        if not won.any():
            break
        active, weights = active[won > 0], won[won > 0] / won.sum()
    order = torch.argsort(-weights, stable=True)
    return Supports(active[order], weights[order], mean, covariance, width)


def pattern_log_densities(
    u: torch.Tensor,
    active: torch.Tensor,
    mean: torch.Tensor,
    covariance: torch.Tensor,
    width: torch.Tensor,
) -> torch.Tensor:
    """Log-densities (samples, count) of ``u`` (samples, n) under every pattern of ``active`` (count, n)."""
    masked = active[:, :, None] * covariance * active[:, None, :] + torch.diag_embed((1 - active) * width**2)
    return gaussian_log_densities(u, active * mean, masked)


def _moments(code: torch.Tensor, active: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean (n,) and covariance (n, n) of active latents; a covariance uses the samples in which both are active."""
    mean = (active * code).sum(0) / active.sum(0).clamp_min(1)
    deviation = active * (code - mean)
    covariance = deviation.T @ deviation / (active.T @ active).clamp_min(1)
    values, vectors = torch.linalg.eigh(covariance)
    return mean, (vectors * values.clamp_min(JITTER)) @ vectors.T
