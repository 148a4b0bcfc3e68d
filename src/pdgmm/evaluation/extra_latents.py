"""Learned latents beyond the true ones: how many there are, and whether they repeat true ones."""

import numpy as np

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.mcc import mcc


class ExtraLatents(Metric):
    """What is left over when every true latent has its learned one. The MCC does not see it."""

    truth = frozenset({"z"})
    columns = (
        Column("extra_latents", "Learned latents beyond the true ones", "neither", digits=0),
        Column(
            "extra_max_correlation", "Largest correlation of extra learned latents with a true one", "neither"
        ),
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """Nothing where no latent is left over.

        ``extra_latents`` counts the learned latents that are assigned to no true one, ``extra_max_correlation`` is
        ``mean_j max_i |corr(z_i, z_hat_j)|`` over them: 0 where they are constant or noise, 1 where each is a copy of
        a true latent.
        """
        match = mcc(split.truth["z"], split.z_hat)
        extra = np.setdiff1d(np.arange(match.correlation.shape[1]), match.assignment)
        if not len(extra):
            return {}
        return {
            "extra_latents": len(extra),
            "extra_max_correlation": float(match.correlation[:, extra].max(axis=0).mean()),
        }
