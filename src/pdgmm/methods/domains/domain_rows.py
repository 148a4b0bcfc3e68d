"""The domain of every sample, checked: what every method for several domains begins with."""

import numpy as np

from pdgmm.errors import UserError
from pdgmm.fitting.samples import Samples

FEWEST_ROWS = 50
"""Fewer samples of a domain do not tell its variances."""


def checked_domains(data: Samples) -> np.ndarray:
    """The domains ``u`` (samples,) of ``data``, 0 to U - 1; a :class:`UserError` if they are too few or too small."""
    u = np.asarray(data.side["u"]).astype(np.int64)
    counts = np.bincount(u)
    if (counts > 0).sum() < 2:
        raise UserError(
            f"all {len(u)} samples are of domain {u[0]}: methods for several domains need at least 2; use a method "
            "that does not see `u`, such as flow or fastica"
        )
    smallest = int(counts.argmin())
    if counts[smallest] < FEWEST_ROWS:
        raise UserError(
            f"domain {smallest} has {counts[smallest]} training samples, methods for several domains need at least "
            f"{FEWEST_ROWS} of each: leave this domain out, join it with another, or give more samples"
        )
    return u
