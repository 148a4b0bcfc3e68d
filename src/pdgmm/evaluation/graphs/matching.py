"""Learned latents in the place of the true ones."""

import numpy as np

from pdgmm.evaluation.correlation import UNMATCHED
from pdgmm.evaluation.mcc import mcc


def matched(z: np.ndarray, z_hat: np.ndarray) -> np.ndarray:
    """The learned latents (samples, n), in the order of the true ones and with their signs.

    ``z`` is (samples, n), ``z_hat`` (samples, d), both of the same samples, the ones the graph is found on. The
    assignment is that of :func:`pdgmm.evaluation.mcc.mcc`. Learned latents that no true one is assigned to are
    dropped; a true latent without a learned one gets a column of zeros, so it will have no edges.
    """
    match = mcc(z, z_hat)
    columns = np.asarray(z_hat, dtype=np.float64)[:, match.assignment] * match.signs
    return np.where(match.assignment == UNMATCHED, 0.0, columns)
