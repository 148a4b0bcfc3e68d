"""Learned latents beyond the true ones: how many there are, and whether they repeat true ones."""

import numpy as np

from pdgmm.evaluation.mcc import MatchResult


def extra_scores(match: MatchResult) -> dict[str, float]:
    """What is left over when every true latent has its learned one; nothing where none is left.

    ``extra_latents`` counts the learned latents that are assigned to no true one, ``extra_max_correlation`` is
    ``mean_j max_i |corr(z_i, z_hat_j)|`` over them: 0 where they are constant or noise, 1 where each is a copy of
    a true latent. The MCC does not see them.
    """
    extra = np.setdiff1d(np.arange(match.correlation.shape[1]), match.assignment)
    if not len(extra):
        return {}
    return {
        "extra_latents": len(extra),
        "extra_max_correlation": float(match.correlation[:, extra].max(axis=0).mean()),
    }
