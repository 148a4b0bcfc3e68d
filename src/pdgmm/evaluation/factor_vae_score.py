"""The FactorVAE score: whether fixing a factor of variation fixes one learned latent."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import checked_pair, standardised
from pdgmm.evaluation.rotated_latents import rotated_latents
from pdgmm.seeds import child_generator

BINS = 10
"""Ranges of equal frequency in which a continuous factor counts as fixed: its variance is then 1/100 of before."""

BATCH, BATCHES = 64, 200
"""Samples in a batch, and batches of every factor, once to learn the votes and once to score them."""

ROTATIONS = 10


class Batches(NamedTuple):
    """Batches of samples that agree in one factor."""

    rows: np.ndarray
    """(batches, BATCH) the samples of every batch."""
    factor: np.ndarray
    """(batches,) the factor that is fixed."""


def fixed_factor_batches(z: np.ndarray, counts: np.ndarray, places: np.ndarray) -> Batches:
    """Batches from the samples ``places`` of true factors ``z`` (samples, n) that share a value of one factor.

    ``counts`` (n,) is how many values a factor has, 0 for a continuous one, whose range is cut into ``BINS``. For
    every batch a value is drawn, each as likely as any other, and then ``BATCH`` times one of the samples that have
    it. The batches are the same ones every time. A value that only one sample has is left out.
    """
    rng = child_generator(0, "batches of the FactorVAE score")
    rows, factor = [], []
    for k, groups in enumerate(_groups(z[places], counts)):
        for _ in range(BATCHES if groups else 0):
            group = groups[rng.integers(len(groups))]
            rows.append(places[group[rng.integers(len(group), size=BATCH)]])
            factor.append(k)
    return Batches(np.array(rows, dtype=int).reshape(-1, BATCH), np.array(factor, dtype=int))


def _groups(z: np.ndarray, counts: np.ndarray) -> Iterator[list[np.ndarray]]:
    """For every factor the sets of two or more samples that share its value."""
    for values, count in zip(z.T, counts, strict=True):
        if not count:
            edges = np.quantile(values, np.arange(1, BINS) / BINS)
            values = np.searchsorted(edges, values)
        found = [np.flatnonzero(values == value) for value in np.unique(values)]
        yield [group for group in found if len(group) > 1]


def factor_vae_score(z_hat: np.ndarray, learned: Batches, scored: Batches) -> float:
    """The share of the batches ``scored`` whose fixed factor is told from the learned latent that varies least.

    Kim and Mnih (2018): learned latents (samples, d) are divided by their standard deviations. The vote of a batch is
    the latent with the smallest variance in it. Each latent then stands for the factor that was fixed most often in
    the batches ``learned`` with its vote. Constant latents get no votes. A rotation of the factors may score high: it
    is enough that each factor is strongest in another latent. So compare a score with its chance level.
    """
    code = standardised(z_hat)
    code = code[:, code.any(axis=0)]
    if not (code.shape[1] and len(learned.rows) and len(scored.rows)):
        return 0.0
    votes = np.zeros((code.shape[1], learned.factor.max() + 1), dtype=int)
    np.add.at(votes, (_least_varying(code, learned), learned.factor), 1)
    return float((votes.argmax(axis=1)[_least_varying(code, scored)] == scored.factor).mean())


def _least_varying(code: np.ndarray, batches: Batches) -> np.ndarray:
    """(batches,) the learned latent with the smallest variance in every batch."""
    return code[batches.rows].var(axis=1).argmin(axis=1)


class FactorVaeScore(Metric):
    """For data with factors of variation; they say so by ``factors`` (n,), the numbers of their values."""

    truth = frozenset({"z", "factors"})
    columns = (Column("factor_vae_score", "FactorVAE score", chance="factor_vae_chance"),)

    def scores(self, split: ScoredSplit) -> dict[str, Any]:
        """Votes are learned on batches of the even rows and scored on batches of the odd ones."""
        z, z_hat = checked_pair(split.truth["z"], split.z_hat)
        every = np.arange(len(z))
        learned, scored = (
            fixed_factor_batches(z, split.truth["factors"], rows) for rows in (every[::2], every[1::2])
        )
        rotated = rotated_latents(z, ROTATIONS, "chance of the FactorVAE score")
        chances = [factor_vae_score(code, learned, scored) for code in rotated]
        return {
            "factor_vae_score": factor_vae_score(z_hat, learned, scored),
            "factor_vae_chance": float(np.mean(chances)) if chances else 0.0,
        }
