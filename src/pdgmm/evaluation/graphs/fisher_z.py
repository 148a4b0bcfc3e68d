"""Fisher's z test of a partial correlation, from a correlation matrix."""

import math

import numpy as np


class TooManyTests(Exception):
    """The allowed number of tests was used up by sets of ``size`` conditions."""

    def __init__(self, size: int) -> None:
        super().__init__(f"sets of {size} conditions")
        self.size = size


class FisherZ:
    """A conditional independence test in the form that causal-learn calls.

    ``z = sqrt(samples - |S| - 3) * atanh(r)`` is about standard normal if the partial correlation r of x and y given
    the variables S is 0; the p-value is two-sided. r comes from the inverse of the correlation matrix of x, y and S,
    which must be regular. causal-learn's own test takes the samples, and keeps every p-value; this one
    counts the tests instead, so that a search which would not end in a lifetime can be stopped.
    """

    method = "fisherz"

    def __init__(self, correlation: np.ndarray, samples: int, most_tests: int | None) -> None:
        self.correlation = correlation
        self.samples = samples
        self.most_tests = most_tests
        self.tests = 0

    def __call__(self, x: int, y: int, conditions: tuple[int, ...] = ()) -> float:
        """The p-value of "x and y are independent given the conditions"."""
        self.tests += 1
        if self.most_tests is not None and self.tests > self.most_tests:
            raise TooManyTests(len(conditions))
        chosen = [x, y, *conditions]
        precision = np.linalg.inv(self.correlation[np.ix_(chosen, chosen)])
        partial = -precision[0, 1] / math.sqrt(precision[0, 0] * precision[1, 1])
        # Rounding may lift the correlation of duplicates to 1.
        partial = min(max(partial, -1 + 1e-15), 1 - 1e-15)
        z = math.sqrt(self.samples - len(conditions) - 3) * math.atanh(partial)
        return math.erfc(abs(z) / math.sqrt(2))
