"""Latents that rest together: only the block as a whole can be told from the others."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from pdgmm.analysis.diagnostics.activity import Marginals
from pdgmm.analysis.diagnostics.spikes import LEAST_SHARE

SAME_ACTIVITY = 0.98
"""Latents whose activities agree in this share of the samples rest together. Independent ones that rest in 2 % to
98 % of the samples agree in less than 97 %."""


def frozen_blocks(active: np.ndarray, marginals: Marginals | None = None) -> list[list[int]]:
    """The blocks of latents, ordered by their first one; a latent that rests on its own is a block of one.

    ``active`` (samples, n) is read from values, and the readings of two latents
    that rest together disagree where just one of them passes by its rest value. With ``marginals`` the share of
    such samples, ``(1 - w)(q_i + q_j - 2 q_i q_j) + w (t_i + t_j - 2 t_i t_j)`` with the probabilities q and t of
    the two misreadings, is not held against them. Blocks are the connected components of agreement.
    """
    on = np.asarray(active, dtype=np.float64)
    agreement = (on.T @ on + (1 - on).T @ (1 - on)) / len(on)
    resting = 1 - on.mean(axis=0)
    if marginals is not None:
        share = (resting[:, None] + resting) / 2
        agreement += (1 - share) * _one_of_two(marginals.active_read_as_resting())
        agreement += share * _one_of_two(marginals.resting_read_as_active())
    rests = (resting >= LEAST_SHARE) & (resting <= 1 - LEAST_SHARE)
    together = (agreement >= SAME_ACTIVITY) & rests[:, None] & rests
    _, labels = connected_components(together, directed=False)
    # Labels follow the first member, so the blocks come in order.
    return [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]


def _one_of_two(probability: np.ndarray) -> np.ndarray:
    """(n, n): of two independent events exactly one happens."""
    return probability[:, None] + probability - 2 * np.outer(probability, probability)
