"""Which latents every observed coordinate depends on: claimed against true."""

import numpy as np

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import UNMATCHED
from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.within_domains import match_within_domains


class MixingSupport(Metric):
    """F1 of the claimed edges from latents to observed coordinates."""

    truth = frozenset({"z", "mixing_support"})
    claims = frozenset({"mixing_support"})
    section = "mixing_support"
    columns = (
        Column(
            "f1",
            "F1 of the edges from latents to observations",
            chance="f1_chance",
            chance_words="as many edges drawn at random",
        ),
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """``claims["mixing_support"]`` (x_dim, learned latents) against the true (x_dim, n), columns matched by MCC.

        Where the domain of each sample is known, the correlations of the match are those inside domains.
        ``f1 = 2 right / (claimed + true)``. As many edges at random would have ``2 p q / (p + q)`` with p and q the
        shares of edges that are true and claimed.
        """
        true = split.truth["mixing_support"].astype(bool)
        assignment = _assignment(split)
        claimed = split.claims["mixing_support"].astype(bool)[:, assignment] & (assignment != UNMATCHED)
        edges = int(true.sum() + claimed.sum())
        shares = np.array([true.mean(), claimed.mean()])
        return {
            "f1": 2 * float((true & claimed).sum()) / edges if edges else 0.0,
            "f1_chance": float(2 * shares.prod() / shares.sum()) if edges else 0.0,
            "claimed_edges": int(claimed.sum()),
            "true_edges": int(true.sum()),
        }


def _assignment(split: ScoredSplit) -> np.ndarray:
    z = split.truth["z"]
    if "u" not in split.truth:
        return mcc(z, split.z_hat).assignment
    return match_within_domains(z, split.z_hat, split.truth["u"], np.ones(z.shape[1])).assignment
