"""Best order score search: a score-based method."""

import random

import numpy as np
from pydantic import Field

from pdgmm.evaluation.graphs.discovery import FoundGraph, GraphMethod


class Boss(GraphMethod):
    """BOSS (Andrews and others, 2023) of causal-learn: searches the causal orders for the best BIC score of linear
    Gaussian models. Its result is a CPDAG. In dense graphs it is much faster than greedy equivalence search."""

    penalty: float = Field(
        0.5,
        gt=0,
        description="log(samples) times this is the cost of each parameter; 0.5 is the usual BIC",
    )

    def find(self, correlation: np.ndarray, samples: int, seed: int) -> FoundGraph:
        """See :meth:`GraphMethod.find`; ``seed`` decides in which order variables are tried."""
        from causallearn.search.PermutationBased.BOSS import boss

        state = random.getstate()
        random.seed(seed)
        try:
            found = boss(
                samples_with(correlation, samples), parameters={"lambda_value": self.penalty}, verbose=False
            )
        finally:
            random.setstate(state)
        # A tail, -1, is at [i, j] for i -> j and at both places for i - j.
        return FoundGraph((found.graph == -1).astype(np.uint8))


def samples_with(correlation: np.ndarray, samples: int) -> np.ndarray:
    """Rows (samples, d) with mean 0 whose covariance (divisor: samples) is exactly the matrix (d, d).

    causal-learn's BOSS takes samples, but only uses their covariance and number. The rows are ``sqrt(samples) Q L^T``
    with the Cholesky factor L and d cosines Q, orthonormal and with mean 0 (DCT-II).
    """
    times = (np.arange(samples) + 0.5) / samples
    cosines = np.sqrt(2) * np.cos(np.pi * np.outer(times, np.arange(1, len(correlation) + 1)))
    return cosines @ np.linalg.cholesky(correlation).T
