"""MCC, the mean correlation coefficient: identification up to permutation and scale."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from pdgmm.evaluation.base import DECIMALS, Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import UNMATCHED, correlation, standardised
from pdgmm.seeds import child_generator

ROTATED_LATENTS = 2_000
"""The chance level is averaged over about this many rotated latents, and at least ``FEWEST_ROTATIONS`` rotations."""

FEWEST_ROTATIONS = 20


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
    """(n,) +1 or -1: multiply the assigned learned latent by it to give it the sign of the true one."""

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


def rotated_correlations(z: np.ndarray) -> Iterator[np.ndarray]:
    """Absolute correlations (n, k) of true latents (samples, n) with themselves, decorrelated and rotated at random.

    With ``U`` the whitened latents, ``corr(z, U Q) = corr(z, U) Q`` for every rotation ``Q``, drawn from the Haar
    measure. There are ``max(20, 2000 / n)`` rotations, the same ones every time; none if all latents are
    constant.
    """
    z = np.asarray(z, dtype=np.float64)
    left, sizes, _ = np.linalg.svd(standardised(z), full_matrices=False)
    whitened = left[:, sizes > 1e-9 * sizes[0]]
    if not whitened.shape[1]:
        return
    shares = correlation(z, whitened)
    rng = child_generator(0, "chance of the MCC")
    for _ in range(max(FEWEST_ROTATIONS, ROTATED_LATENTS // z.shape[1])):
        rotation, triangle = np.linalg.qr(rng.normal(size=(shares.shape[1],) * 2))
        # With the signs of the diagonal the decomposition is unique, and the rotations are uniform.
        yield np.abs(shares @ (rotation * np.sign(np.diag(triangle))))


def chance(z: np.ndarray) -> float:
    """The MCC that true latents (samples, n) reach after they are decorrelated and rotated at random.

    This is the score of a method that finds the latents only up to a rotation: the mean over
    :func:`rotated_correlations`. It is 0.90 for two independent latents, 0.59 for ten.
    """
    values = [
        absolute[linear_sum_assignment(absolute, maximize=True)].sum() / len(absolute)
        for absolute in rotated_correlations(z)
    ]
    return float(np.mean(values)) if values else 0.0


class Mcc(Metric):
    """The MCC with its chance level, and what heatmaps are drawn from."""

    truth = frozenset({"z"})
    columns = (Column("mcc", "MCC", chance="mcc_chance", on_every_split=True),)

    def scores(self, split: ScoredSplit) -> dict[str, Any]:
        """``assignment[i]`` is the learned latent of true latent ``i`` (-1: none), ``signs[i]`` orients it.

        ``correlation`` is the n x d matrix of absolute correlations.
        """
        match = mcc(split.truth["z"], split.z_hat)
        return {
            "mcc": match.mcc,
            "mcc_chance": chance(split.truth["z"]),
            "mcc_per_latent": match.per_latent.round(DECIMALS).tolist(),
            "assignment": match.assignment.tolist(),
            "signs": match.signs.tolist(),
            "correlation": match.correlation.round(DECIMALS).tolist(),
        }


class ExtraLatents(Metric):
    """The learned latents that are assigned to no true one. The MCC ignores them."""

    truth = frozenset({"z"})
    columns = (
        Column("extra_latents", "Learned latents beyond the true ones", "neither", digits=0),
        Column(
            "extra_max_correlation", "Largest correlation of extra learned latents with a true one", "neither"
        ),
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """Empty if no latent is left over.

        ``extra_latents`` counts the learned latents that are assigned to no true one. ``extra_max_correlation`` is
        ``mean_j max_i |corr(z_i, z_hat_j)|`` over them: 0 if they are constant or noise, 1 if each is a copy of a
        true latent.
        """
        match = mcc(split.truth["z"], split.z_hat)
        extra = np.setdiff1d(np.arange(match.correlation.shape[1]), match.assignment)
        if not len(extra):
            return {}
        return {
            "extra_latents": len(extra),
            "extra_max_correlation": float(match.correlation[:, extra].max(axis=0).mean()),
        }
