"""Does the flow bend a latent on its own? Then nothing but its Gaussian shape says how its scale runs.

A flow makes every latent Gaussian while it is active, also one that is not: it bends its scale. So a latent that is
Gaussian after the flow does not show that it was so before. What shows it is the affine fit. A curved mixing bends
latents together, which is noise to a single one of them; a latent of another shape is bent by itself, and is then the
same as its affine counterpart up to a curved scale.
"""

import numpy as np
from scipy.stats import rankdata

from pdgmm.evaluation.correlation import correlation

FEWEST_ACTIVE = 50


def bends(latents: np.ndarray, affine: np.ndarray, active: np.ndarray) -> np.ndarray:
    """(n,) how far each of ``latents`` (rows, n) is bent against the ``affine`` one (rows, n) that is most like it.

    The correlation that a normal pair with the same ranks has, ``2 sin(pi r_s / 6)`` with the correlation ``r_s`` of
    the ranks (Pearson, 1907), minus the correlation of the values, over the rows in which the latent is ``active``
    (rows, n). 0 for a linear relation with Gaussian noise, and where fewer than 50 rows are active.
    """
    partners = np.abs(correlation(latents, affine)).argmax(axis=1)
    found = np.zeros(latents.shape[1])
    for latent, partner in enumerate(partners):
        rows = active[:, latent]
        if rows.sum() < FEWEST_ACTIVE:
            continue
        one, other = latents[rows, latent], affine[rows, partner]
        straight = _correlation(one, other)
        found[latent] = 2 * np.sin(np.pi * _correlation(rankdata(one), rankdata(other)) / 6) - straight
    return found


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(correlation(one[:, None], other[:, None]))[0, 0])
