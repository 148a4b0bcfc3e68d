"""A score for every ball in images, where both of its coordinates rest together."""

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.block_r2 import match_blocks


class PerBall(Metric):
    """The mean R2 of the learned latents of each ball, whose coordinates are a block."""

    truth = frozenset({"z", "blocks", "places"})
    columns = (Column("ball_*", "Ball *: mean R² of its two learned latents"),)

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """``ball_1``, ``ball_2``, …"""
        means = match_blocks(split.truth["z"], split.z_hat, split.truth["blocks"]).means
        return {f"ball_{number}": mean for number, mean in enumerate(means.tolist(), start=1)}
