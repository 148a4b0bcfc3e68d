"""Do the data look as the theory assumes, and is an affine mixing enough?

Every latent should rest at one value and be Gaussian while it is active. The second is the test of Lilliefors (1967),
read as an effect size: the Kolmogorov-Smirnov distance to the normal distribution with the values' own mean and
standard deviation, ``D = max_y |F(y) - Phi((y - m) / s)|``. With many samples every test rejects, so the verdict is
made from how far D exceeds its critical value. No sample near the rest value is left out, which would tear a hole
into the distribution: each counts with its probability of being active, one minus the spike's posterior.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from pdgmm.analysis.answers import Assumptions, Gaussianity, LatentAssumptions, Mixing, Quantiles, Verdict
from pdgmm.analysis.diagnostics.spikes import Marginals, SpikeEvidence, log_normal
from pdgmm.analysis.diagnostics.variability import patterns, variability
from pdgmm.analysis.wording import listed, percent
from pdgmm.fitting.whitening import principal_whitening

NEAR, FAR = 0.03, 0.08
"""A distance below the first does not matter, one beyond the second is plain. The uniform and the Laplace
distribution have 0.06, the exponential distribution and two peaks that are 6 of their deviations apart 0.16."""

CHANCE = 1.03
"""Samples of a normal distribution exceed ``1.03 / sqrt(samples)``, the critical value at the level 0.01, in 1 of 100
cases (Lilliefors, 1967); this is allowed on top."""

FEWEST_SAMPLES = 50

LEVELS = np.arange(1, 100) / 100
"""Levels of the quantiles."""

STANDARD_ERRORS = 2.0
"""A difference of log-likelihoods of more of its standard errors is real."""

FLOW_DIMS_PER_LATENT = 4
"""Principal directions per latent that the density of a flow covers (:class:`pdgmm.methods.flow.flow.Flow`)."""


class ActiveValues(NamedTuple):
    """The values of a latent while it is active, and their expected number."""

    samples: float
    gaussianity: Gaussianity = Gaussianity()
    quantiles: Quantiles = Quantiles()
    """1 % to 99 %, after subtracting the mean and division by the standard deviation."""
    verdict: Verdict = "unknown"


def assumptions(
    latents: np.ndarray,
    active: np.ndarray,
    marginals: Marginals,
    spikes: Sequence[SpikeEvidence],
    mixing: Mixing,
) -> Assumptions:
    """Check the assumptions on latents (samples, n) that are ``active`` (samples, n) or rest."""
    present = np.array([spike.present for spike in spikes], dtype=bool)
    weights = np.where(present, 1 - marginals.spike_posterior(latents), 1.0)
    frequent = patterns(active)
    return Assumptions(
        latents=[
            _latent(place + 1, spike, active_values(latents[:, place], weights[:, place]))
            for place, spike in enumerate(spikes)
        ],
        patterns=frequent,
        patterns_share=min(1.0, sum(pattern.share for pattern in frequent)),
        variability=variability(active, marginals),
        mixing=mixing,
    )


def active_values(values: np.ndarray, weights: np.ndarray) -> ActiveValues:
    """Judge values (samples,) that are active with probability ``weights`` (samples,)."""
    total = float(weights.sum())
    if total < 1:
        return ActiveValues(total)
    order = np.argsort(values)
    values, shares = values[order], weights[order] / total
    deviation = np.sqrt(shares @ (values - shares @ values) ** 2)
    if deviation == 0:
        return ActiveValues(total)
    standard = (values - shares @ values) / deviation
    after = np.cumsum(shares)
    normal = ndtr(standard)
    distance = float(max(np.abs(after - normal).max(), np.abs(after - shares - normal).max()))
    # Samples that hardly count tell hardly anything: Kish's effective number of samples.
    effective = 1 / (shares @ shares)
    critical = float(CHANCE / np.sqrt(effective))
    moments = Gaussianity(
        statistic=distance,
        critical_value=critical,
        skewness=float(shares @ standard**3),
        kurtosis=float(shares @ standard**4) - 3,
    )
    observed = np.interp(LEVELS, after - shares / 2, standard)
    quantiles = Quantiles(normal=ndtri(LEVELS).tolist(), observed=observed.tolist())
    if effective < FEWEST_SAMPLES:
        verdict = "unknown"
    elif distance - critical < NEAR:
        verdict = "holds"
    else:
        verdict = "doubtful" if distance - critical < FAR else "violated"
    return ActiveValues(total, moments, quantiles, verdict)


def _latent(number: int, spike: SpikeEvidence, active: ActiveValues) -> LatentAssumptions:
    """Violated without a spike; else what the Gaussianity of the active values gives."""
    verdict, sentence = active.verdict, f"At rest in {percent(spike.share)} of the samples"
    sentence += {
        "holds": ", and close to Gaussian otherwise, as assumed.",
        "doubtful": "; the active values are not quite Gaussian, which costs some precision.",
        "violated": "; the active values are not one Gaussian: there are several groups of samples, or the mixing is "
        "not straightened, and the scale of this latent may be bent.",
        "unknown": f"; fewer than {FEWEST_SAMPLES} active samples do not show their distribution.",
    }[verdict]
    if not spike.present:
        verdict = "violated"
        sentence = (
            f"No rest value: {listed(spike.doubts)}. Nothing tells this latent from a mixture with others."
        )
    return LatentAssumptions(
        latent=number,
        spike_share=spike.share,
        spike_value=spike.value,
        spike_width=spike.width,
        active_samples=round(active.samples),
        rests=spike.present,
        gaussianity=active.gaussianity,
        quantiles=active.quantiles,
        verdict=verdict,
        sentence=sentence,
    )


def affine_log_likelihoods(estimator: Any, train: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    """Log-likelihoods (samples,) of held-out samples under an affine estimator, comparable to those of a flow.

    With fewer latents than columns, ``score_samples`` of an affine :class:`pdgmm.estimator.PDGMM` is a density in the
    latents' subspace, and that of a flow one in the first ``4 n`` principal directions. A Gaussian for the
    directions in between, with their variances on ``train`` (samples, columns), makes up the difference.
    """
    inside = estimator.score_samples(held_out)
    n = estimator.n_latents_
    whitening = principal_whitening(train, n, most=min(train.shape[1], FLOW_DIMS_PER_LATENT * n))
    axes = whitening.matrix[n:]
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    deviations = ((train - whitening.mean) @ axes.T).std(axis=0)
    return inside + log_normal((held_out - whitening.mean) @ axes.T, 0.0, deviations).sum(axis=1)


def mixing(affine: np.ndarray, flow: np.ndarray | None) -> Mixing:
    """Compare held-out log-likelihoods (samples,) of the same samples, paired.

    Both an affine mixing and a curved one that the flow has straightened are within the theory.
    """
    verdict, sentence = "unknown", "Only an affine mixing was fitted; whether it is curved was not checked."
    if flow is not None:
        gains = flow - affine
        gain, error = float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))
        measured = f"{abs(gain):.2f} ± {error:.2f} nats a sample"
        if gain < -STANDARD_ERRORS * error:
            how = "the flow that the latents come from has learned too much from too few samples."
            verdict, sentence = (
                "doubtful",
                f"An affine mixing explains new samples better by {measured}: {how}",
            )
        elif gain > STANDARD_ERRORS * error:
            how = f"a flow explains new samples better by {measured}, and the latents come from it."
            verdict, sentence = "holds", f"The mixing is curved: {how}"
        else:
            how = "A curved mixing explains new samples no better than an affine one"
            verdict, sentence = "holds", f"{how}: the mixing looks affine."
    return Mixing(
        affine_log_likelihood=float(np.mean(affine)),
        flow_log_likelihood=None if flow is None else float(np.mean(flow)),
        verdict=verdict,
        sentence=sentence,
    )
