"""Are the active values of a latent Gaussian?

With many samples every test rejects, so the verdict is made from an effect size: the Kolmogorov-Smirnov distance
``D = max_y |F(y) - Phi((y - m) / s)|`` between the active values and the normal distribution with their mean and
standard deviation. Samples near the rest value may be active or not. None is left out, which would tear a hole into
the distribution: each counts with its probability of being active, one minus the spike's posterior, also in the
mean, the deviation, the moments and the quantiles.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from pdgmm.diagnostics.verdict import Verdict
from pdgmm.diagnostics.wording import number_or_null

NEAR, FAR = 0.03, 0.08
"""A distance below the first is no matter, one beyond the second is plain. The uniform and the Laplace distribution
have 0.06, the exponential distribution and two peaks that are 6 of their deviations apart 0.16."""

CHANCE = 1.03
"""Samples of a normal distribution exceed ``1.03 / sqrt(samples)`` in 1 of 100 cases (Lilliefors, 1967); so much is
allowed on top."""

FEWEST_SAMPLES = 50

LEVELS = np.arange(1, 100) / 100
"""Levels of the quantiles."""


@dataclass(frozen=True)
class Gaussianity:
    """How near to a normal distribution the active values are; numbers are NaN where there is no active sample."""

    active_samples: float
    """Expected number of active samples."""

    distance: float
    skewness: float
    kurtosis: float
    """Excess kurtosis: 0 for a normal distribution."""

    quantiles: np.ndarray
    """(99,) quantiles 1 % to 99 % of the active values, after subtracting their mean and division by their standard
    deviation."""

    verdict: Verdict

    def as_json(self) -> dict[str, Any]:
        """The parts ``gaussianity`` and ``quantiles`` of a latent."""
        return {
            "gaussianity": {
                "test": "Kolmogorov-Smirnov distance",
                "statistic": number_or_null(self.distance),
                "p_value": None,
                "skewness": number_or_null(self.skewness),
                "kurtosis": number_or_null(self.kurtosis),
            },
            "quantiles": {
                "normal": ndtri(LEVELS).tolist(),
                "observed": [number_or_null(value) for value in self.quantiles],
            },
        }


def gaussianity(values: np.ndarray, weights: np.ndarray) -> Gaussianity:
    """Judge values (samples,) that are active with probability ``weights`` (samples,)."""
    total = float(weights.sum())
    undefined = np.full(len(LEVELS), np.nan)
    if total < 1:
        return Gaussianity(total, np.nan, np.nan, np.nan, undefined, "unknown")
    order = np.argsort(values)
    values, shares = values[order], weights[order] / total
    deviation = np.sqrt(shares @ (values - shares @ values) ** 2)
    if deviation == 0:
        return Gaussianity(total, np.nan, np.nan, np.nan, undefined, "unknown")
    standard = (values - shares @ values) / deviation
    after = np.cumsum(shares)
    normal = ndtr(standard)
    distance = float(max(np.abs(after - normal).max(), np.abs(after - shares - normal).max()))
    quantiles = np.interp(LEVELS, after - shares / 2, standard)
    # Samples that hardly count tell hardly anything: Kish's effective number of samples.
    effective = 1 / (shares @ shares)
    return Gaussianity(
        total,
        distance,
        float(shares @ standard**3),
        float(shares @ standard**4) - 3,
        quantiles,
        _verdict(distance, effective),
    )


def _verdict(distance: float, samples: float) -> Verdict:
    if samples < FEWEST_SAMPLES:
        return "unknown"
    beyond_chance = distance - CHANCE / np.sqrt(samples)
    if beyond_chance < NEAR:
        return "holds"
    return "doubtful" if beyond_chance < FAR else "violated"
