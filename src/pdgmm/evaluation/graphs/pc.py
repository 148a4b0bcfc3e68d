"""The PC algorithm with partial correlations."""

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field

from pdgmm.evaluation.graphs.cpdag import completed_pattern
from pdgmm.evaluation.graphs.discovery import FoundGraph, GraphMethod

_PRIORITIES = {"open": 1, "first": 2}
"""causal-learn's numbers (``uc_priority``) for what it does with contradicting colliders."""


class Pc(GraphMethod):
    """PC (Spirtes and Glymour, 1991) of causal-learn: Fisher-z tests, the stable skeleton of Colombo and Maathuis
    (2014), colliders from separating sets.

    The skeleton does not depend on the order of the variables. Directions may: tests on samples can give colliders
    that contradict each other about an edge. With ``conflicts: first`` the collider that comes first in the order of
    the variables (that of the true latents) decides, as causal-learn does by default. With ``conflicts: open`` such
    an edge is undirected, and nothing depends on the order. The paper used the R package pcalg; with which settings
    is not known.

    What follows from the colliders is found with :func:`pdgmm.evaluation.graphs.cpdag.completed_pattern`:
    causal-learn's Meek rules depend on the order, and in dense graphs take time with the sixth power of n.

    A dense graph needs a number of tests that is exponential in n. When ``most_tests`` are used up, the search
    starts again with conditioning sets only as large as could all be tested (``most_conditions`` in the notes).
    """

    alpha: float = Field(
        0.05,
        gt=0,
        lt=1,
        description="significance level of the tests; an edge stays if all its tests reject independence",
    )
    conflicts: Literal["first", "open"] = Field(
        "first",
        description="direction of an edge about which colliders contradict each other: that of the first "
        "collider, or none (open)",
    )
    most_tests: int = Field(
        2_000_000,
        ge=1,
        description="number of tests (about 30,000 a second) after which the size of conditioning sets is limited",
    )

    def find(self, correlation: np.ndarray, samples: int, seed: int) -> FoundGraph:
        """See :meth:`GraphMethod.find`; ``seed`` is not needed."""
        from causallearn.utils.PCUtils.UCSepset import uc_sepset

        most_conditions = None
        try:
            found = self._skeleton(FisherZ(correlation, samples, self.most_tests), None)
        except TooManyTests as stopped:
            most_conditions = max(stopped.size - 1, 0)
            found = self._skeleton(FisherZ(correlation, samples, None), most_conditions)
        marks = uc_sepset(found, priority=_PRIORITIES[self.conflicts]).G.graph
        # marks[j, i] is what the edge between i and j has at j: 1 an arrowhead, -1 a tail, 0 where there is no edge.
        graph, contradicted = completed_pattern(marks != 0, (marks == 1).T)
        return FoundGraph(graph, {"contradicted_edges": contradicted, "most_conditions": most_conditions})

    def _skeleton(self, test: "FisherZ", most_conditions: int | None) -> Any:
        """causal-learn's graph after the skeleton search, with its separating sets."""
        from causallearn.utils.PCUtils.SkeletonDiscovery import skeleton_discovery

        # The search only reads the number of columns of its first argument; the tests use the correlation matrix.
        return skeleton_discovery(
            test.correlation, self.alpha, test, stable=True, show_progress=False, max_k=most_conditions
        )


class TooManyTests(Exception):
    """The allowed number of tests was used up by sets of ``size`` conditions."""

    def __init__(self, size: int) -> None:
        super().__init__(f"sets of {size} conditions")
        self.size = size


class FisherZ:
    """A conditional independence test in the form that causal-learn calls.

    ``z = sqrt(samples - |S| - 3) * atanh(r)`` is about standard normal if the partial correlation r of x and y
    given the variables S is 0; the p-value is two-sided. r comes from the inverse of the correlation matrix of x, y
    and S, which must be regular. causal-learn's own test needs the samples and keeps every p-value. This one counts
    the tests instead, so that a search that would take far too long can be stopped.
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
        # Rounding may raise the correlation of duplicates to 1.
        partial = min(max(partial, -1 + 1e-15), 1 - 1e-15)
        z = math.sqrt(self.samples - len(conditions) - 3) * math.atanh(partial)
        return math.erfc(abs(z) / math.sqrt(2))
