"""Do fits with other seeds find the same prior mixture, up to an affine map?"""

from collections.abc import Mapping

import numpy as np

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.fit_stability import BETWEEN_FITS, FitStability
from pdgmm.evaluation.mixture_distance import (
    GaussianMixture,
    Map,
    matched_means_distance,
    optimised_distance,
    regression_map,
)
from pdgmm.seeds import child_generator

CLAIMS = ("mixture_weights", "mixture_means", "mixture_covariances")
"""The claims that describe the distribution of a fit's codes: (K,), (K, d) and (K, d, d)."""

UNRELATED = 10
"""How many unrelated mixtures the chance level is averaged over."""


def claimed_mixture(claims: Mapping[str, np.ndarray]) -> GaussianMixture:
    """The mixture that a fit claims."""
    return GaussianMixture(*(np.asarray(claims[name], dtype=float) for name in CLAIMS))


def unrelated(mixture: GaussianMixture, rng: np.random.Generator) -> GaussianMixture:
    """A mixture whose components have the same shapes, but are rotated and reordered at random, with random means.

    The means are drawn from a Gaussian with the mean and covariance of the means of ``mixture``.
    """
    count, dim = mixture.means.shape
    spread = np.atleast_2d(np.cov(mixture.means.T)) + 1e-9 * np.eye(dim) if count > 1 else np.eye(dim)
    means = rng.multivariate_normal(mixture.means.mean(axis=0), spread, size=count)
    turns = np.linalg.qr(rng.normal(size=(count, dim, dim)))[0]
    covariances = turns @ mixture.covariances @ np.swapaxes(turns, 1, 2)
    return GaussianMixture(mixture.weights[rng.permutation(count)], means, covariances)


class MixtureAgreement(Metric):
    """dist_Aff,L2 between the prior mixtures of fits, each a mean over the other fits."""

    compares_fits = True
    claims = frozenset(CLAIMS)
    section = BETWEEN_FITS
    section_title = FitStability.section_title
    columns = (
        Column(
            "dist_aff_means",
            "Distance of the mixtures up to an affine map, means matched",
            "lower",
            chance="dist_aff_means_chance",
            chance_words="unrelated mixtures with components of the same shapes",
        ),
        Column(
            "dist_aff",
            "Distance of the mixtures up to an affine map, map optimised",
            "lower",
            chance="dist_aff_chance",
            chance_words="unrelated mixtures with components of the same shapes",
        ),
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        own = claimed_mixture(split.claims)
        others = [claimed_mixture(claims) for claims in split.other_claims]
        starts = [regression_map(split.z_hat[::2], codes[::2]) for codes in split.other_fits]
        rng = child_generator(0, "unrelated mixtures")
        strangers = [unrelated(own, rng) for _ in range(UNRELATED)]
        found = {}
        for name, distance in (("dist_aff_means", matched_means_distance), ("dist_aff", optimised_distance)):
            pairs: list[tuple[GaussianMixture, Map]] = list(zip(others, starts, strict=True))
            found[name] = float(np.mean([distance(own, other, start) for other, start in pairs]))
            found[f"{name}_chance"] = float(np.mean([distance(own, stranger) for stranger in strangers]))
        return {name: value for name, value in found.items() if np.isfinite(value)}
