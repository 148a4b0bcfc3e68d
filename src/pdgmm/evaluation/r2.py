"""R2: identification up to an affine map, for all latents or within blocks that are always active together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from pdgmm.errors import UserError
from pdgmm.evaluation.base import DECIMALS, Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import UNMATCHED, checked_pair, standardised


def r2(z: np.ndarray, z_hat: np.ndarray) -> float:
    """How well the learned latents are an affine function of the true ones, on held-out samples.

    The learned latents (samples, d) are regressed on the true latents (samples, n) by least squares with an
    intercept, as in Xu, Lachapelle and Magliacane (2026), appendix D.1. The regression is fitted on the even rows
    and scored on the odd rows (interleaved, so that files sorted by component are scored fairly):

    ``R2 = (1/c) sum_j (1 - sum_t (z_hat_tj - prediction_tj)^2 / sum_t (z_hat_tj - mean_j)^2)``, ``c = d`` for d <= n.

    - It is 1 for an affine code ``z_hat = z A + b``, about 0 if nothing is explained, and below 0 if held-out samples
      are predicted worse than by their mean.
    - It is invariant under invertible affine maps of the *true* latents, and under shift and non-zero scaling of each
      *learned* one. Mixing the learned latents changes their weights in the mean: only a value of 1 stays the same.
    - A learned latent that is constant in the scored rows counts as 0, so a collapsed code is not rewarded. Only
      latents beyond ``n`` may be empty: ``c`` is the number of learned latents that vary, and at least ``n``.
    """
    each = r2_per_latent(z, z_hat)
    varying = int(np.ptp(np.asarray(z_hat)[1::2], axis=0).astype(bool).sum())
    count = max(varying, min(np.shape(z)[1], len(each)))
    return float(each.sum() / count)


def r2_per_latent(z: np.ndarray, z_hat: np.ndarray) -> np.ndarray:
    """The summands (d,) of :func:`r2`: how well each learned latent is an affine function of the true ones."""
    z, z_hat = checked_pair(z, z_hat)
    needed = 2 * (z.shape[1] + 1)
    if len(z) < max(needed, 4):
        raise UserError(
            f"R2 with {z.shape[1]} true latents needs at least {max(needed, 4)} samples, there are {len(z)}: "
            "give the dataset more of them"
        )
    # Standardising does not change the value and keeps the least-squares problem well conditioned.
    z, z_hat = standardised(z), standardised(z_hat)
    design = np.column_stack([z, np.ones(len(z))])
    coefficients = np.linalg.lstsq(design[::2], z_hat[::2], rcond=None)[0]
    scored = z_hat[1::2]
    residual = ((scored - design[1::2] @ coefficients) ** 2).sum(axis=0)
    constant = (scored == scored[0]).all(axis=0)
    total = ((scored - scored.mean(axis=0)) ** 2).sum(axis=0)
    return np.where(constant, 0.0, 1.0 - residual / np.where(constant, 1.0, total))


class R2(Metric):
    """R2 of all learned latents. A random rotation of the truth scores 1: there is no chance level below that."""

    truth = frozenset({"z"})
    columns = (Column("r2", "R²", on_every_split=True),)

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """See :func:`r2`."""
        return {"r2": r2(split.truth["z"], split.z_hat)}


@dataclass(frozen=True)
class BlockMatch:
    """The best assignment of ``d`` learned latents to ``b`` blocks that together hold ``n`` true ones."""

    r2: np.ndarray
    """(b, d) R2 of every learned latent, regressed on the true latents of every block."""

    assignment: np.ndarray
    """(n,) integers: the learned latents of the blocks, block after block; ``UNMATCHED`` if there are too few."""

    assigned: np.ndarray
    """(n,) the R2 of those learned latents with their blocks; 0 for ``UNMATCHED``."""

    sizes: np.ndarray
    """(b,) number of true latents in every block."""

    @property
    def largest_elsewhere(self) -> float:
        """The largest R2 of an assigned learned latent with another block than its own; 0 with one block."""
        places = np.repeat(np.arange(len(self.sizes)), self.sizes)
        found = self.assignment != UNMATCHED
        others = self.r2[:, self.assignment[found]].copy()
        others[places[found], np.arange(others.shape[1])] = 0.0
        return float(others.max(initial=0.0))

    @property
    def means(self) -> np.ndarray:
        """(b,) the mean of ``assigned`` within every block."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        return np.add.reduceat(self.assigned, starts) / self.sizes


def match_blocks(z: np.ndarray, z_hat: np.ndarray, blocks: np.ndarray) -> BlockMatch:
    """R2 between blocks of true latents and single learned ones, and the best assignment.

    ``z`` is (samples, n), ``z_hat`` (samples, d), ``blocks`` (n,) the block of every true latent, 0 to b - 1. As in
    Xu, Lachapelle and Magliacane (2026), appendix E.5, each learned latent is regressed on the true latents of a
    block and scored on held-out samples, see :func:`r2`. Every block gets as many learned latents as it has true
    ones, such that the sum of their R2 is largest: the Hungarian algorithm on a matrix that repeats the row of a
    block once for each of its latents.
    """
    z, z_hat = checked_pair(z, z_hat)
    blocks = np.asarray(blocks)
    if blocks.shape != (z.shape[1],) or set(blocks.tolist()) != set(range(blocks.max() + 1)):
        raise UserError(
            f"the blocks {blocks.tolist()} do not fit {z.shape[1]} true latents: there must be one block a "
            "latent, counted from 0 without gaps"
        )
    sizes = np.bincount(blocks)
    values = np.stack([r2_per_latent(z[:, blocks == block], z_hat) for block in range(len(sizes))])
    places = np.sort(blocks)
    rows, learned = linear_sum_assignment(values[places], maximize=True)
    assignment = np.full(len(places), UNMATCHED)
    assignment[rows] = learned
    assigned = np.zeros(len(places))
    assigned[rows] = values[places[rows], learned]
    return BlockMatch(values, assignment, assigned, sizes)


class BlockR2(Metric):
    """How well the learned latents belong to one block of true latents each."""

    truth = frozenset({"z", "blocks"})
    columns = (
        Column("block_r2_diagonal_min", "Smallest R² of a learned latent with its block"),
        Column("block_mcc", "Mean R² of the learned latents with their blocks", on_every_split=True),
        Column("block_r2_elsewhere_max", "Largest R² of a learned latent with another block", "lower"),
    )

    def scores(self, split: ScoredSplit) -> dict[str, Any]:
        """``block_r2`` is the matrix of R2 (blocks x learned latents), ``block_means`` the mean R2 of each block.

        ``block_assignment`` are the learned latents of the blocks one after the other, ``block_sizes`` how many
        belong to each.
        """
        match = match_blocks(split.truth["z"], split.z_hat, split.truth["blocks"])
        return {
            "block_r2": match.r2.round(DECIMALS).tolist(),
            "block_r2_diagonal_min": float(match.assigned.min()),
            "block_mcc": float(match.assigned.mean()),
            "block_r2_elsewhere_max": match.largest_elsewhere,
            "block_assignment": match.assignment.tolist(),
            "block_sizes": match.sizes.tolist(),
            "block_means": match.means.tolist(),
        }


class PerBall(Metric):
    """For images: the mean R2 of the learned latents of each ball; the two coordinates of a ball are a block."""

    truth = frozenset({"z", "blocks", "places"})
    columns = (Column("ball_*", "Ball *: mean R² of its two learned latents"),)

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """``ball_1``, ``ball_2``, …"""
        means = match_blocks(split.truth["z"], split.z_hat, split.truth["blocks"]).means
        return {f"ball_{number}": mean for number, mean in enumerate(means.tolist(), start=1)}
