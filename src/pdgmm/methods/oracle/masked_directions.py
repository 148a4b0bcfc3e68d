"""The affine map under which known masks show: one eigenvalue problem a latent."""

import numpy as np
from scipy.linalg import eigh

from pdgmm.errors import FitFailed

LARGEST_CONDITION = 1e6
"""Of the directions together; beyond it two of them are the same."""


def masked_directions(white: np.ndarray, active: np.ndarray) -> np.ndarray:
    """A direction a latent (n, n), in rows, along which the samples that mask the latent vary least.

    ``white`` (samples, n) has the identity as covariance; ``active`` (samples, n) says which latents are active
    in a sample. Row i minimises ``w C_i w^T / w w^T``, C_i being the covariance of the samples that mask latent
    i: its eigenvector of the smallest eigenvalue. Where white samples are an affine function of the latents
    and Assumption 3.8b holds, that eigenvalue is 0 and single, and ``w white`` is latent i up to scale and a
    constant. Latents that are always active together share the eigenvectors of the smallest eigenvalues: their
    block is found, the latents in it are not.
    """
    samples, n = active.shape
    patterns, block_of = np.unique(active, axis=1, return_inverse=True)
    directions = np.empty((n, white.shape[1]))
    for block, on in enumerate(patterns.T):
        latents = np.flatnonzero(block_of == block)
        masked = white[~on]
        if not 2 * n <= len(masked) <= samples - 2 * n:
            raise FitFailed(
                "failed",
                f"latent {latents[0] + 1} is masked in {len(masked)} of {samples} samples: knowing the masks "
                "does not tell it from the others",
            )
        covariance = np.cov(masked, rowvar=False, dtype=np.float64)
        directions[latents] = eigh(covariance, subset_by_index=[0, len(latents) - 1])[1].T
    if np.linalg.cond(directions) > LARGEST_CONDITION:
        raise FitFailed("failed", "the masks do not tell some latents from others: no unmixing exists")
    return directions
