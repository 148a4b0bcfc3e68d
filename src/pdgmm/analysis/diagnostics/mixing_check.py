"""Is an affine mixing enough, or do held-out samples ask for a curved one?"""

from typing import Any

import numpy as np

from pdgmm.analysis.answers import Mixing, Verdict
from pdgmm.analysis.diagnostics.spikes import log_normal

STANDARD_ERRORS = 2.0
"""A difference of log-likelihoods of more of its standard errors is real."""

FLOW_DIMS_PER_LATENT = 4
"""Principal directions per latent that the density of a flow covers (:class:`pdgmm.methods.flow.flow.Flow`)."""


def affine_log_likelihoods(estimator: Any, train: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    """Log-likelihoods (samples,) of held-out samples under an affine estimator, comparable to those of a flow.

    With fewer latents than columns, ``score_samples`` of an affine :class:`pdgmm.estimator.PDGMM` is a density in the
    latents' subspace, and that of a flow one in the first ``4 n`` principal directions. A Gaussian for the
    directions in between, with their variances on ``train`` (samples, columns), makes up the difference.
    """
    from pdgmm.fitting.whitening import principal_whitening

    inside = estimator.score_samples(held_out)
    n = estimator.n_latents_
    whitening = principal_whitening(train, n, most=min(train.shape[1], FLOW_DIMS_PER_LATENT * n))
    axes = whitening.matrix[n:]
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    deviations = ((train - whitening.mean) @ axes.T).std(axis=0)
    return inside + log_normal((held_out - whitening.mean) @ axes.T, 0.0, deviations).sum(axis=1)


def mixing(affine: np.ndarray, flow: np.ndarray | None) -> Mixing:
    """Compare held-out log-likelihoods (samples,) of the same samples, paired.

    The latents come from the flow where there is one. An affine mixing and a curved one that the flow has
    straightened are both within the theory.
    """
    verdict, sentence = _judged(affine, flow)
    return Mixing(
        affine_log_likelihood=float(np.mean(affine)),
        flow_log_likelihood=None if flow is None else float(np.mean(flow)),
        verdict=verdict,
        sentence=sentence,
    )


def _judged(affine: np.ndarray, flow: np.ndarray | None) -> tuple[Verdict, str]:
    if flow is None:
        return "unknown", "Only an affine mixing was fitted; whether it is curved was not checked."
    gains = np.asarray(flow) - np.asarray(affine)
    gain, error = float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))
    measured = f"{abs(gain):.2f} ± {error:.2f} nats a sample"
    if gain > STANDARD_ERRORS * error:
        how = f"a flow explains new samples better by {measured}, and the latents come from it."
        return "holds", f"The mixing is curved: {how}"
    if gain < -STANDARD_ERRORS * error:
        how = "the flow that the latents come from has learned too much from too few samples."
        return "doubtful", f"An affine mixing explains new samples better by {measured}: {how}"
    how = "the mixing looks affine."
    return "holds", f"A curved mixing explains new samples no better than an affine one: {how}"
