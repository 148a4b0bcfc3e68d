"""R2: identification up to an affine map."""

import numpy as np

from pdgmm.errors import UserError
from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import checked_pair, standardised


def r2(z: np.ndarray, z_hat: np.ndarray) -> float:
    """How well the learned latents are an affine function of the true ones, on held-out samples.

    The learned latents (samples, d) are regressed by least squares, with an intercept, on the true latents
    (samples, n): the true ones explain, as in Xu, Lachapelle and Magliacane (2026), appendix D.1. The
    regression is fitted on the even rows and scored on the odd rows (interleaved, so that files sorted by
    component are scored fairly):

    ``R2 = (1/c) sum_j (1 - sum_t (z_hat_tj - prediction_tj)^2 / sum_t (z_hat_tj - mean_j)^2)``, ``c = d`` for d <= n.

    - At most 1, and 1 exactly for an affine code ``z_hat = z A + b``; about 0 where nothing is explained, and
      below 0 where held-out samples are predicted worse than by their mean.
    - Invariant under invertible affine maps of the *true* latents, and under shift and non-zero scaling of
      each *learned* one. An affine map that mixes learned latents changes the weight of each in the mean, so a
      value below 1 may change; a value of 1 stays 1.
    - A learned latent that is constant in the scored rows counts as 0: a collapsed code explains nothing. Only where
      more latents are learned than there are may those beyond ``n`` be empty: ``c`` is the number of learned latents
      that vary, and at least ``n``.
    """
    each = r2_per_latent(z, z_hat)
    varying = int(np.ptp(np.asarray(z_hat)[1::2], axis=0).astype(bool).sum())
    count = max(varying, min(np.shape(z)[1], len(each)))
    return float(each.sum() / count)


def r2_per_latent(z: np.ndarray, z_hat: np.ndarray) -> np.ndarray:
    """The summands (d,) of :func:`r2`: how well each learned latent is an affine function of the true ones."""
    z, z_hat = checked_pair(z, z_hat)
    needed = 2 * (z.shape[1] + 1)
    if len(z) < max(needed, 4):
        raise UserError(
            f"R2 with {z.shape[1]} true latents needs at least {max(needed, 4)} samples, there are {len(z)}: "
            "give the dataset more of them"
        )
    # Standardising leaves the value as it is and keeps the least-squares problem well conditioned.
    z, z_hat = standardised(z), standardised(z_hat)
    design = np.column_stack([z, np.ones(len(z))])
    coefficients = np.linalg.lstsq(design[::2], z_hat[::2], rcond=None)[0]
    scored = z_hat[1::2]
    residual = ((scored - design[1::2] @ coefficients) ** 2).sum(axis=0)
    constant = (scored == scored[0]).all(axis=0)
    total = ((scored - scored.mean(axis=0)) ** 2).sum(axis=0)
    return np.where(constant, 0.0, 1.0 - residual / np.where(constant, 1.0, total))


class R2(Metric):
    """R2 of all learned latents. A random rotation of the truth scores 1: there is no chance level below that."""

    truth = frozenset({"z"})
    columns = (Column("r2", "R²", on_every_split=True),)

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """See :func:`r2`."""
        return {"r2": r2(split.truth["z"], split.z_hat)}
