"""Whether a fit found which observed variable depends on which latents."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from pdgmm.evaluation.base import Column, Metric, ScoredSplit

THRESHOLD = 0.1
"""An observed variable counts as dependent on a latent if its root mean square derivative is at least this, both in
standard deviations."""


def support_error(true: np.ndarray, found: np.ndarray) -> float:
    """Share of the entries of ``true`` (m, n) that differ from ``found`` (m, d), with the best order of its columns.

    Both are boolean. Missing columns count as empty, surplus ones are left out.
    """
    missing = max(0, true.shape[1] - found.shape[1])
    found = np.pad(found, [(0, 0), (0, missing)])
    differences = (true[:, :, None] != found[:, None, :]).sum(axis=0)
    return float(differences[linear_sum_assignment(differences)].sum() / true.size)


class DependencySupport(Metric):
    """The support of the claimed Jacobian against the true one.

    The claim ``jacobian`` (m, d) holds ``sqrt(E (dx_i / dz_j)^2)``, with x and z in standard deviations; the truth
    ``dependencies`` (m, n) is not zero where an observed variable depends on a latent.
    """

    truth = frozenset({"dependencies"})
    claims = frozenset({"jacobian"})
    section = "dependencies"
    columns = (
        Column(
            "support_error",
            "Share of wrong entries in the support of the Jacobian",
            "lower",
            chance="dense_error",
            chance_words="a claim that every observed variable depends on every latent",
        ),
        Column(
            "best_support_error",
            "The same with the best threshold",
            "lower",
            chance="dense_error",
            chance_words="a claim that every observed variable depends on every latent",
        ),
    )

    def runs_on(self, split: ScoredSplit) -> bool:
        """In a chain, the Jacobian may be that of the code before, which has no true support."""
        return super().runs_on(split) and len(split.claims["jacobian"]) == len(split.truth["dependencies"])

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """The error at ``THRESHOLD``, the smallest over all thresholds, and that of a dense support."""
        true, jacobian = split.truth["dependencies"] != 0, np.asarray(split.claims["jacobian"])
        thresholds = np.append(np.unique(jacobian), np.inf)
        return {
            "support_error": support_error(true, jacobian >= THRESHOLD),
            "best_support_error": min(support_error(true, jacobian >= level) for level in thresholds),
            "dense_error": float((~true).mean()),
        }
