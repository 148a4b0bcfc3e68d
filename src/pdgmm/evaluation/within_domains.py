"""Scores of latents that change between domains, computed inside the domains.

A code that holds nothing but the mean of every domain already has a high MCC with latents whose means differ between
domains. So the MCC of the changing latents is computed inside each domain, where such a code is constant.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from pdgmm.evaluation.base import DECIMALS, Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import UNMATCHED, checked_pair, correlation, standardised
from pdgmm.evaluation.mcc import mcc, rotated_correlations
from pdgmm.evaluation.r2 import r2

FEWEST_ROWS = 10
"""Domains with fewer held-out samples are left out: their correlations are mostly chance."""


@dataclass(frozen=True)
class DomainMatch:
    """The best assignment of learned latents to the latents that change."""

    correlation: np.ndarray
    """(n, d) absolute correlations inside the domains, averaged over domains."""

    assignment: np.ndarray
    """(changing,) integers: the learned latent of every changing one, or ``UNMATCHED``."""

    per_latent: np.ndarray
    """(changing,) their absolute correlations; 0 where unmatched."""


def match_within_domains(
    z: np.ndarray, z_hat: np.ndarray, u: np.ndarray, changing: np.ndarray
) -> DomainMatch:
    """Match learned latents (samples, d) to those true ones (samples, n) that are ``changing`` (n,).

    ``max_pi mean_i mean_u |corr_u(z_i, z_hat_pi(i))|`` over injective ``pi``, where ``corr_u`` is the correlation
    among the samples of domain u. The assignment is the same in all domains.
    """
    z, z_hat = checked_pair(z, z_hat)
    values, counts = np.unique(np.asarray(u), return_counts=True)
    rows = [np.flatnonzero(u == value) for value in values[counts >= FEWEST_ROWS]]
    shape = (z.shape[1], z_hat.shape[1])
    inside = [np.abs(correlation(z[row], z_hat[row])) for row in rows]
    average = np.mean(inside, axis=0) if inside else np.zeros(shape)
    scored = average[np.asarray(changing, dtype=bool)]
    true, learned = linear_sum_assignment(scored, maximize=True)
    assignment, per_latent = np.full(len(scored), UNMATCHED), np.zeros(len(scored))
    assignment[true], per_latent[true] = learned, scored[true, learned]
    return DomainMatch(average, assignment, per_latent)


class WithinDomains(Metric):
    """The MCC of the changing latents inside domains and over all samples, and the R2 of the invariant ones."""

    truth = frozenset({"z", "u", "changing"})
    columns = (
        Column(
            "within_domain_mcc", "MCC of the changing latents inside domains", chance="within_domain_chance"
        ),
        Column("invariant_r2", "R² of the invariant latents", chance="invariant_r2_chance"),
        Column(
            "changing_mcc",
            "MCC of the changing latents over all domains",
            "neither",
            chance="domain_means_mcc",
            chance_words="a code that holds nothing but the true means of the domains",
        ),
    )

    def scores(self, split: ScoredSplit) -> dict[str, Any]:
        """``invariant_r2``: R2 of the learned latents left over by the match, regressed on the invariant ones.

        It is 0 if the learned latents are too few. Chance levels come from the true latents, each standardised inside
        the domains, after random rotations; that of ``changing_mcc`` is the MCC of the means of the domains.
        """
        z, u = split.truth["z"], np.asarray(split.truth["u"])
        changing = split.truth["changing"].astype(bool)
        found: dict[str, Any] = {}
        if not changing.any():
            return found
        match = match_within_domains(z, split.z_hat, u, changing)
        within_chance, invariant_chance = _chances(z, u, changing)
        means = np.stack([z[u == value].mean(axis=0) for value in np.unique(u)])
        ranks = np.searchsorted(np.unique(u), u)
        found = {
            "within_domain_mcc": float(match.per_latent.mean()),
            "within_domain_chance": within_chance,
            "within_domain_mcc_per_latent": match.per_latent.round(DECIMALS).tolist(),
            "changing_mcc": mcc(z[:, changing], split.z_hat).mcc,
            "domain_means_mcc": mcc(z[:, changing], means[ranks][:, changing]).mcc,
        }
        if not changing.all():
            rest = _left_over(match, changing)
            found["invariant_r2"] = r2(z[:, ~changing], split.z_hat[:, rest]) if len(rest) else 0.0
            found["invariant_r2_chance"] = invariant_chance
        return found


def _left_over(match: DomainMatch, changing: np.ndarray) -> np.ndarray:
    """The learned latents that belong to the invariant ones: those not assigned that correlate most with them."""
    rest = np.setdiff1d(np.arange(match.correlation.shape[1]), match.assignment)
    closest = match.correlation[~changing][:, rest].max(axis=0)
    return rest[np.argsort(-closest, kind="stable")[: int((~changing).sum())]]


def _chances(z: np.ndarray, u: np.ndarray, changing: np.ndarray) -> tuple[float, float]:
    """The two chance levels: latents standardised inside every domain, decorrelated and rotated at random."""
    inside = np.empty_like(z, dtype=np.float64)
    for value in np.unique(u):
        inside[u == value] = standardised(np.asarray(z[u == value], dtype=np.float64))
    mccs, shares = [], []
    for absolute in rotated_correlations(inside):
        rows, learned = linear_sum_assignment(absolute[changing], maximize=True)
        mccs.append(absolute[changing][rows, learned].sum() / changing.sum())
        rest = np.setdiff1d(np.arange(absolute.shape[1]), learned)
        if len(rest) and not changing.all():
            # Of independent latents, the squared correlations with a direction add up to its R2.
            shares.append((absolute[~changing][:, rest] ** 2).sum(axis=0).mean())
    return (float(np.mean(mccs)) if mccs else 0.0), (float(np.mean(shares)) if shares else 0.0)
