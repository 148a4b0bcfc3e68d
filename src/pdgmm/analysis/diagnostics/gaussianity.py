"""Are the active values of a latent Gaussian? The test of Lilliefors (1967), read as an effect size.

Its statistic is the Kolmogorov-Smirnov distance to the normal distribution with the values' own mean and standard
deviation, ``D = max_y |F(y) - Phi((y - m) / s)|``. With many samples every test rejects, so the verdict is not made
from whether D exceeds its critical value but from how far. Samples near the rest value may be active or not. None is
left out, which would tear a hole into the distribution: each counts with its probability of being active, one minus
the spike's posterior, also in the mean, the deviation, the moments and the quantiles.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from pdgmm.analysis.answers import Gaussianity, Quantiles, Verdict

NEAR, FAR = 0.03, 0.08
"""A distance below the first is no matter, one beyond the second is plain. The uniform and the Laplace distribution
have 0.06, the exponential distribution and two peaks that are 6 of their deviations apart 0.16."""

CHANCE = 1.03
"""Samples of a normal distribution exceed ``1.03 / sqrt(samples)``, the critical value at the level 0.01, in 1 of 100
cases (Lilliefors, 1967); this is allowed on top."""

FEWEST_SAMPLES = 50

LEVELS = np.arange(1, 100) / 100
"""Levels of the quantiles."""


@dataclass(frozen=True)
class ActiveValues:
    """The values of a latent while it is active, and their expected number."""

    samples: float
    gaussianity: Gaussianity
    quantiles: Quantiles
    """1 % to 99 %, after subtracting the mean and division by the standard deviation."""
    verdict: Verdict


def active_values(values: np.ndarray, weights: np.ndarray) -> ActiveValues:
    """Judge values (samples,) that are active with probability ``weights`` (samples,)."""
    total = float(weights.sum())
    undefined = ActiveValues(total, Gaussianity(), Quantiles(), "unknown")
    if total < 1:
        return undefined
    order = np.argsort(values)
    values, shares = values[order], weights[order] / total
    deviation = np.sqrt(shares @ (values - shares @ values) ** 2)
    if deviation == 0:
        return undefined
    standard = (values - shares @ values) / deviation
    after = np.cumsum(shares)
    normal = ndtr(standard)
    distance = float(max(np.abs(after - normal).max(), np.abs(after - shares - normal).max()))
    # Samples that hardly count tell hardly anything: Kish's effective number of samples.
    effective = 1 / (shares @ shares)
    moments = Gaussianity(
        statistic=distance,
        critical_value=critical_value(effective),
        skewness=float(shares @ standard**3),
        kurtosis=float(shares @ standard**4) - 3,
    )
    observed = np.interp(LEVELS, after - shares / 2, standard)
    quantiles = Quantiles(normal=ndtri(LEVELS).tolist(), observed=observed.tolist())
    return ActiveValues(total, moments, quantiles, _verdict(distance, effective))


def critical_value(samples: float) -> float:
    """The distance that this many samples of a normal distribution exceed in 1 of 100 cases."""
    return float(CHANCE / np.sqrt(samples))


def _verdict(distance: float, samples: float) -> Verdict:
    if samples < FEWEST_SAMPLES:
        return "unknown"
    beyond_chance = distance - critical_value(samples)
    if beyond_chance < NEAR:
        return "holds"
    return "doubtful" if beyond_chance < FAR else "violated"
