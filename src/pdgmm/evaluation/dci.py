"""DCI: disentanglement, completeness and informativeness of learned latents for factors of variation."""

from typing import Any, NamedTuple

import numpy as np

from pdgmm.evaluation.base import DECIMALS, Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import checked_pair, standardised
from pdgmm.evaluation.rotated_latents import rotated_latents

MOST_ROWS = 2000
"""Samples that are used, half to fit and half to score."""

TREES, DEPTH = 50, 3
"""Boosted trees for every factor, and how deep they are."""

ROTATIONS = 3


class Dci(NamedTuple):
    """The three scores, each from 0 to 1, and what they come from."""

    disentanglement: float
    completeness: float
    informativeness: float
    importances: np.ndarray
    """(d, n) how much every learned latent helps to predict every factor; every column adds up to 1, or is 0."""


def dci(z: np.ndarray, z_hat: np.ndarray, counts: np.ndarray) -> Dci:
    """The scores of Eastwood and Williams (2018), with boosted trees as in Locatello et al. (2019).

    Trees predict every factor z_k (samples, n) from all learned latents (samples, d): by regression, or by
    classification if it has ``counts[k] > 0`` values. They are fitted on the even rows. With their importances
    R (d, n), and H_n the entropy to the base n:

    - disentanglement: the mean of ``1 - H_n(R_j. / sum_k R_jk)`` over learned latents j, with weights ``sum_k R_jk``:
      1 if every learned latent helps with one factor only;
    - completeness: the mean of ``1 - H_d(R_.k)`` over factors: 1 if one learned latent is enough for every factor;
    - informativeness: the mean over factors of R2 on the odd rows or, for discrete factors, of the share of the most
      frequent value's errors that is avoided there; at least 0.
    """
    z, z_hat = checked_pair(z[:MOST_ROWS], z_hat[:MOST_ROWS])
    z_hat = standardised(z_hat)  # trees compare numbers in single precision
    found = [_predicted(z_hat, values, bool(count)) for values, count in zip(z.T, counts, strict=True)]
    importances = np.column_stack([each for each, _ in found])
    total = importances.sum()
    if not total:
        return Dci(0.0, 0.0, 0.0, importances)
    one_factor = 1 - _entropies(importances)
    one_latent = 1 - _entropies(importances.T)
    return Dci(
        float(importances.sum(axis=1) @ one_factor / total),
        # A factor that nothing predicts has no latent of its own.
        float(np.where(importances.sum(axis=0) > 0, one_latent, 0.0).mean()),
        float(np.mean([explained for _, explained in found])),
        importances,
    )


def _predicted(z_hat: np.ndarray, values: np.ndarray, discrete: bool) -> tuple[np.ndarray, float]:
    """Importances (d,) of the learned latents for one factor (samples,), and the share that they explain."""
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    fitted, held_out = values[::2], values[1::2]
    if len(np.unique(fitted)) < 2:
        return np.zeros(z_hat.shape[1]), 0.0
    kind = GradientBoostingClassifier if discrete else GradientBoostingRegressor
    # The seed decides between equally good splits only.
    trees = kind(n_estimators=TREES, max_depth=DEPTH, random_state=0).fit(z_hat[::2], fitted)
    predicted = trees.predict(z_hat[1::2])
    if discrete:
        names, times = np.unique(fitted, return_counts=True)
        left, without = (predicted != held_out).sum(), (held_out != names[times.argmax()]).sum()
    else:
        left, without = ((held_out - predicted) ** 2).sum(), ((held_out - fitted.mean()) ** 2).sum()
    return trees.feature_importances_, max(0.0, 1 - left / without) if without else 0.0


def _entropies(rows: np.ndarray) -> np.ndarray:
    """The entropy (rows,) of every row, as shares of its sum, to the base of their number; 0 for rows of one or 0."""
    shares = rows / np.maximum(rows.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    logs = np.log(np.where(shares > 0, shares, 1.0))
    return -(shares * logs).sum(axis=1) / max(np.log(rows.shape[1]), np.finfo(float).tiny)


class DciScores(Metric):
    """For data with factors of variation; they say so by ``factors`` (n,), the numbers of their values."""

    truth = frozenset({"z", "factors"})
    columns = (
        Column("dci_disentanglement", "DCI disentanglement", chance="dci_disentanglement_chance"),
        Column("dci_completeness", "DCI completeness", chance="dci_completeness_chance"),
        Column("dci_informativeness", "DCI informativeness", chance="dci_informativeness_chance"),
    )

    def scores(self, split: ScoredSplit) -> dict[str, Any]:
        """The scores, those of the rotated true latents, and the importances."""
        z, counts = split.truth["z"], split.truth["factors"]
        found = dci(z, split.z_hat, counts)
        rotated = rotated_latents(z[:MOST_ROWS], ROTATIONS, "chance of DCI")
        chances = [dci(z[:MOST_ROWS], code, counts)[:3] for code in rotated]
        names = [column.name for column in self.columns]
        chance = np.mean(chances, axis=0) if chances else np.zeros(3)
        return {
            **dict(zip(names, found[:3], strict=True)),
            **{f"{name}_chance": float(value) for name, value in zip(names, chance, strict=True)},
            "dci_importances": found.importances.round(DECIMALS).tolist(),
        }
