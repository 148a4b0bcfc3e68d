"""How far fits agree with each other, for data without truth."""

import numpy as np

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import r2


class SeedAgreement(Metric):
    """Mean MCC and R2 with the latents of fits with other seeds to the same samples."""

    compares_fits = True
    columns = (
        Column("agreement", "Agreement of the seeds: MCC between fits to other rows"),
        Column("affine_agreement", "Agreement of the seeds up to an affine map: R²"),
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """``agreement`` is 1 if all fits find the same latents up to order, sign and scale.

        ``affine_agreement`` is 1 if they find the same latents up to an affine map.
        """
        return {
            "agreement": float(np.mean([mcc(split.z_hat, other).mcc for other in split.other_fits])),
            "affine_agreement": float(np.mean([r2(split.z_hat, other) for other in split.other_fits])),
        }
