"""MCC, the mean correlation coefficient: identification up to permutation and scale."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from pdgmm.evaluation.correlation import UNMATCHED, correlation


@dataclass(frozen=True)
class MatchResult:
    """The best one-to-one assignment of ``d`` learned to ``n`` true latents."""

    mcc: float
    """Mean of ``per_latent``, in [0, 1]."""

    per_latent: np.ndarray
    """(n,) absolute correlation of every true latent with its learned one; 0 where unmatched."""

    assignment: np.ndarray
    """(n,) integers: the learned latent of every true one, or ``UNMATCHED``."""

    signs: np.ndarray
    """(n,) +1 or -1: multiply the assigned learned latent with it to orient it like the true one."""

    correlation: np.ndarray
    """(n, d) absolute correlations, true latents in rows, learned ones in columns in their own order."""


def mcc(z: np.ndarray, z_hat: np.ndarray) -> MatchResult:
    """Match learned to true latents and average their absolute Pearson correlations.

    ``MCC = max_pi (1/n) sum_i |corr(z_i, z_hat_pi(i))|`` over injective ``pi`` (Xu, Lachapelle and Magliacane
    (2026), appendix D.1), found with the Hungarian algorithm. ``z`` is (samples, n), ``z_hat`` (samples, d).
    With d > n the surplus learned latents are left over; with d < n the true latents without a partner count
    as 0, so the mean is always over all true latents. A constant column correlates 0 with everything.
    Invariant under permutation, non-zero scaling and shift of the learned (and of the true) latents.
    """
    signed = correlation(z, z_hat)
    absolute = np.abs(signed)
    true, learned = linear_sum_assignment(absolute, maximize=True)
    n = absolute.shape[0]
    assignment = np.full(n, UNMATCHED)
    assignment[true] = learned
    per_latent = np.zeros(n)
    per_latent[true] = absolute[true, learned]
    signs = np.ones(n, dtype=int)
    signs[true] = np.where(signed[true, learned] < 0, -1, 1)
    return MatchResult(float(per_latent.mean()), per_latent, assignment, signs, absolute)
