"""How far sets of latents are mixed: regressions of one set of true latents on the learned ones of another set."""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import pdist

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.correlation import checked_pair, correlation, standardised
from pdgmm.evaluation.mcc import rotated_correlations

MOST_FOR_KERNEL = 800
"""Samples that a kernel regression is fitted to, and as many that it is scored on."""

KERNEL_RIDGE = 1e-2

RELATIONS = {
    "int": ((1,), (0, 2), "Shared latents from the learned ones of one group alone"),
    "symdiff": ((0, 2), (1,), "Latents of one group alone from the learned shared ones"),
    "comp_a": ((0,), (2,), "Latents of the first group alone from the learned ones of the second alone"),
    "comp_b": ((2,), (0,), "Latents of the second group alone from the learned ones of the first alone"),
    "ref": ((0, 1, 2), (0, 1, 2), "All latents from all learned ones"),
}
"""Name: the groups of the true targets, those of the learned inputs, and the words of the tables."""


def linear_r2(inputs: np.ndarray, targets: np.ndarray) -> float:
    """Held-out R2 of least squares with an intercept, fitted on even and scored on odd rows, mean over targets."""
    design = np.column_stack([inputs, np.ones(len(inputs))])
    coefficients = np.linalg.lstsq(design[::2], targets[::2], rcond=None)[0]
    return _explained(targets[1::2], design[1::2] @ coefficients)


def kernel_r2(inputs: np.ndarray, targets: np.ndarray) -> float:
    """As :func:`linear_r2`, with kernel ridge regression, which also finds dependence that is not linear.

    The kernel is Gaussian; its width is the median distance of the inputs.
    """
    from sklearn.kernel_ridge import KernelRidge

    inputs, targets = inputs[: 2 * MOST_FOR_KERNEL], targets[: 2 * MOST_FOR_KERNEL]
    width = np.median(pdist(inputs[::2])) or 1.0
    means = targets[::2].mean(axis=0)
    model = KernelRidge(alpha=KERNEL_RIDGE, kernel="rbf", gamma=0.5 / width**2)
    model.fit(inputs[::2], targets[::2] - means)
    return _explained(targets[1::2], model.predict(inputs[1::2]) + means)


def _explained(targets: np.ndarray, predicted: np.ndarray) -> float:
    """R2, mean over targets; a prediction that is worse than the mean explains nothing, 0."""
    total = ((targets - targets.mean(axis=0)) ** 2).sum(axis=0)
    left = ((targets - predicted) ** 2).sum(axis=0)
    return float(np.clip(1 - left / np.where(total > 0, total, np.inf), 0, 1)[total > 0].sum() / len(total))


class SetIdentifiability(Metric):
    """R2 between disjoint sets of latents of two overlapping groups of observed variables (Zheng et al., 2026).

    ``groups`` (n,) says whose latent each is: 0 the first group's, 1 shared, 2 the second group's. Learned latents
    are matched to true ones by their correlation in the even rows, in which the regressions are fitted too. For
    latents that are found one by one, all values but the last are 0.
    """

    truth = frozenset({"z", "groups"})
    columns = tuple(
        Column(
            f"set_{name}_{kind}",
            f"{words}, {kind} R²",
            "higher" if name == "ref" else "lower",
            chance="" if name == "ref" else f"set_{name}_chance",
        )
        for name, (_, _, words) in RELATIONS.items()
        for kind in ("linear", "kernel")
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """For every relation the linear and the kernel R2, and the linear one of a random rotation as chance."""
        z, z_hat = checked_pair(split.truth["z"], split.z_hat)
        groups = split.truth["groups"]
        true, learned = linear_sum_assignment(np.abs(correlation(z[::2], z_hat[::2])), maximize=True)
        z, z_hat = standardised(z), standardised(z_hat)
        rotated = [absolute[:, _matched(absolute)] for absolute in rotated_correlations(z)]
        found: dict[str, float] = {}
        for name, (target, given, _) in RELATIONS.items():
            targets = z[:, np.isin(groups, target)]
            inputs = z_hat[:, learned[np.isin(groups[true], given)]]
            for kind, r2 in (("linear", linear_r2), ("kernel", kernel_r2)):
                found[f"set_{name}_{kind}"] = r2(inputs, targets) if inputs.size else 0.0
            # The inputs are not correlated, so their squared correlations with a target add up to R2.
            places = np.ix_(np.isin(groups, target), np.isin(groups, given))
            chances = [np.square(one[places]).sum(axis=1).mean() for one in rotated]
            found[f"set_{name}_chance"] = float(np.mean(chances)) if chances else 0.0
        return found


def _matched(absolute: np.ndarray) -> np.ndarray:
    """The learned latent of every true one."""
    return linear_sum_assignment(absolute, maximize=True)[1]
