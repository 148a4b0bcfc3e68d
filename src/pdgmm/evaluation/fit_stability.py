"""Strong and weak MCC between fits: do fits with other seeds find the same latents, or only affine maps of them?"""

import numpy as np

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.canonical_correlation import canonical_pairs
from pdgmm.evaluation.correlation import UNMATCHED, correlation
from pdgmm.evaluation.mcc import chance, mcc
from pdgmm.seeds import child_generator

BETWEEN_FITS = "between_fits"
"""The place of these scores. It is not a split, since they compare runs and need no truth."""

SHUFFLES = 20
"""How many shuffled codes the chance level of the weak MCC is averaged over."""


def strong_mcc(one: np.ndarray, other: np.ndarray) -> float:
    """The MCC of two codes (samples, d) of the same samples, assigned on the even rows and scored on the odd ones.

    It is 1 if both hold the same latents up to order, sign and scale. Codes that are rotations of each other reach
    the chance level of the MCC, 0.90 in two dimensions: with few latents, a high value says little.
    """
    assignment = mcc(one[::2], other[::2]).assignment
    values = np.abs(correlation(one[1::2], other[1::2]))
    matched = np.flatnonzero(assignment != UNMATCHED)
    return float(values[matched, assignment[matched]].sum() / len(assignment))


def weak_mcc(one: np.ndarray, other: np.ndarray) -> float:
    """The MCC after the affine maps that align the codes best: canonical pairs of the even rows, scored on the odd.

    It is 1 if one code is an affine function of the other. A direction that one code lacks counts as 0.
    """
    pairs = canonical_pairs(one[::2], other[::2])
    images = pairs.apply(np.asarray(one[1::2], float), np.asarray(other[1::2], float))
    values = np.abs(np.diag(correlation(*images))) if len(pairs.correlations) else np.zeros(1)
    return float(values.sum() / one.shape[1])


class FitStability(Metric):
    """Strong and weak MCC (Khemakhem et al., 2020; Willetts and Paige, 2021), each a mean over the other fits.

    They measure stability, not recovery: a method that returns its observations scores 1.
    """

    compares_fits = True
    section = BETWEEN_FITS
    section_title = "between fits with different seeds"
    columns = (
        Column(
            "strong_mcc",
            "Strong MCC",
            chance="strong_mcc_chance",
            chance_words="codes that are random rotations of each other",
        ),
        Column(
            "weak_mcc",
            "Weak MCC",
            chance="weak_mcc_chance",
            chance_words="codes of unrelated samples",
        ),
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        one, others = split.z_hat, split.other_fits
        rng = child_generator(0, "chance of the weak MCC")
        shuffled = [weak_mcc(one, others[0][rng.permutation(len(one))]) for _ in range(SHUFFLES)]
        return {
            "strong_mcc": float(np.mean([strong_mcc(one, other) for other in others])),
            "strong_mcc_chance": chance(one),
            "weak_mcc": float(np.mean([weak_mcc(one, other) for other in others])),
            "weak_mcc_chance": float(np.mean(shuffled)),
        }
