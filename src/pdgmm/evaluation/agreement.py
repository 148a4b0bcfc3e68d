"""How far fits agree with each other, where there is no truth to hold them against."""

from collections.abc import Sequence

import numpy as np

from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import r2


def agreement(one: np.ndarray, others: Sequence[np.ndarray]) -> dict[str, float]:
    """Mean MCC and R2 of latents (samples, n) with those of other fits to the same samples.

    ``agreement`` is 1 where the same latents come out, up to order, sign and scale; ``affine_agreement`` is 1 where
    they do up to an affine map.
    """
    return {
        "agreement": float(np.mean([mcc(one, other).mcc for other in others])),
        "affine_agreement": float(np.mean([r2(one, other) for other in others])),
    }
