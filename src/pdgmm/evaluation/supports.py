"""How well the components of the mixture were found: their supports against the true ones."""

import numpy as np

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.mcc import mcc


class Supports(Metric):
    """Precision and recall of the claimed supports; a support counts only if it is right for every latent."""

    truth = frozenset({"z", "masks"})
    claims = frozenset({"supports", "support_weights"})
    section = "supports"
    columns = (
        Column("precision", "Share of the found supports that are true"),
        Column("recall", "Share of the true supports that were found"),
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """Scores of ``supports`` (count, learned latents) against ``masks`` (components, n), both of active latents.

        Learned latents are put in the order of the true ones that they match. ``true_weight`` is the share of the
        samples that belong to supports that are right, as estimated by ``support_weights`` (count,).
        """
        assignment = mcc(split.truth["z"], split.z_hat).assignment
        true = {tuple(row) for row in split.truth["masks"].astype(bool).tolist()}
        found = [tuple(row) for row in split.claims["supports"].astype(bool)[:, assignment].tolist()]
        right = np.array([support in true for support in found], dtype=bool)
        return {
            "precision": float(right.mean()) if found else 0.0,
            "recall": len(true & set(found)) / len(true),
            "true_weight": float(split.claims["support_weights"][right].sum()),
            "found": len(found),
            "components": len(true),
        }
