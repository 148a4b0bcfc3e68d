"""Is an affine mixing enough, or do held-out samples ask for a curved one?"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pdgmm.analysis.diagnostics.activity import log_normal
from pdgmm.analysis.diagnostics.verdict import Verdict
from pdgmm.analysis.diagnostics.diagnostics_wording import number_or_null

STANDARD_ERRORS = 2.0
"""A difference of log-likelihoods of more of its standard errors is real."""

FLOW_DIMS_PER_LATENT = 4
"""Principal directions per latent that the density of a flow covers (:class:`pdgmm.stages.flow.Flow`)."""


@dataclass(frozen=True)
class Mixing:
    """Mean held-out log-likelihoods, in nats a sample; the flow's is None where none was fitted."""

    affine: float
    flow: float | None
    verdict: Verdict
    sentence: str

    def as_json(self) -> dict[str, Any]:
        """The part ``mixing``."""
        return {
            "affine_log_likelihood": number_or_null(self.affine),
            "flow_log_likelihood": number_or_null(self.flow),
            "verdict": self.verdict,
            "sentence": self.sentence,
        }


def affine_log_likelihoods(estimator: Any, train: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    """Log-likelihoods (samples,) of held-out samples under an affine estimator, comparable to those of a flow.

    With fewer latents than columns, ``score_samples`` of an affine :class:`pdgmm.estimator.PDGMM` is a density in the
    latents' subspace, and that of a flow one in the first ``4 n`` principal directions. A Gaussian for the
    directions in between, with their variances on ``train`` (samples, columns), makes up the difference.
    """
    from pdgmm.likelihood.whitening import principal_whitening

    inside = estimator.score_samples(held_out)
    n = estimator.n_latents_
    whitening = principal_whitening(train, n, most=min(train.shape[1], FLOW_DIMS_PER_LATENT * n))
    axes = whitening.matrix[n:]
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    deviations = ((train - whitening.mean) @ axes.T).std(axis=0)
    return inside + log_normal((held_out - whitening.mean) @ axes.T, 0.0, deviations).sum(axis=1)


def mixing(
    affine: np.ndarray, flow: np.ndarray | None, used: Literal["affine", "flow"] | None = None
) -> Mixing:
    """Compare held-out log-likelihoods (samples,) of the same samples, paired.

    ``used`` says which of the two the latents come from; the flow, unless there is none. The verdict is on that
    choice: an affine mixing and a curved one that the flow has straightened are both within the theory.
    """
    mean = float(np.mean(affine))
    if flow is None:
        return Mixing(
            mean, None, "unknown", "Only an affine mixing was fitted; whether it is curved was not checked."
        )
    gains = np.asarray(flow) - np.asarray(affine)
    gain, error = float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains)))
    better = (
        "flow" if gain > STANDARD_ERRORS * error else "affine" if gain < -STANDARD_ERRORS * error else None
    )
    measured = f"{abs(gain):.2f} ± {error:.2f} nats a sample"
    verdict: Verdict = "holds" if better in (None, used or "flow") else "doubtful"
    if better is None:
        sentence = (
            "A curved mixing explains new samples no better than an affine one: the mixing looks affine."
        )
    elif better == "flow":
        sentence = f"The mixing is curved: a flow explains new samples better by {measured}" + (
            ", and the latents come from it."
            if verdict == "holds"
            else ", but the latents come from an affine map."
        )
    else:
        sentence = f"An affine mixing explains new samples better by {measured}" + (
            ", and the latents come from it."
            if verdict == "holds"
            else ": the flow that the latents come from has learned too much from too few samples."
        )
    return Mixing(mean, float(np.mean(flow)), verdict, sentence)
