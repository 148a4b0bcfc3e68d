"""Finding a causal graph among latents: what a graph method is, and how latents are prepared for it.

Methods see the correlation matrix of the latents and the number of samples, which is all that linear Gaussian methods
need. Learned latents can be degenerate, so:

- A constant latent has no correlation with anything. It is left out, and has no edges in the result.
- Latents that are (nearly) linear functions of others make the matrix ``C`` singular. The methods get
  ``(C + ridge I) / (1 + ridge)``; the ridge is far too small for a test on samples to notice. Two duplicates explain
  each other completely, so PC joins them to each other and to nothing else. Duplicates are noted.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import Field

from pdgmm.errors import UserError
from pdgmm.evaluation.correlation import UNMATCHED, correlation
from pdgmm.settings import Settings

RIDGE = 1e-8
DUPLICATE = 1 - 1e-6
"""Latents with a higher absolute correlation are duplicates of each other."""


@dataclass(frozen=True)
class FoundGraph:
    """A graph (see :mod:`pdgmm.evaluation.graphs.cpdag`) and notes on how it was found (JSON values)."""

    graph: np.ndarray
    notes: dict[str, Any] = field(default_factory=dict)


class GraphMethod(Settings):
    """The settings of a method that finds a causal graph. Its module imports no causal-learn at its top."""

    samples: int | None = Field(
        None,
        ge=5,
        description="how many samples to use, the first ones; null: all. Learned latents contain a little of each "
        "other; the more samples, the more often a test detects this and adds an edge",
    )

    @abstractmethod
    def find(self, correlation: np.ndarray, samples: int, seed: int) -> FoundGraph:
        """The graph of variables with a regular correlation matrix (d, d), d >= 2, seen in ``samples`` samples."""


def discover(method: GraphMethod, latents: np.ndarray, seed: int) -> FoundGraph:
    """The graph (n, n) that a method finds among the columns of latents (samples, n)."""
    latents = latents[: method.samples]
    samples, n = latents.shape
    if samples < n + 4:
        raise UserError(
            f"{samples} samples are too few to find a graph among {n} latents, at least {n + 4} are needed: "
            "raise samples.unmasked of the dataset, or samples of the graph's method"
        )
    matrix = correlation(latents, latents)
    constant = np.diag(matrix) == 0
    varying = np.flatnonzero(~constant)
    graph = np.zeros((n, n), dtype=np.uint8)
    notes: dict[str, Any] = {
        "constant": np.flatnonzero(constant).tolist(),
        "duplicates": np.argwhere(np.triu(np.abs(matrix), k=1) > DUPLICATE).tolist(),
    }
    if len(varying) > 1:
        regular = (matrix[np.ix_(varying, varying)] + RIDGE * np.eye(len(varying))) / (1 + RIDGE)
        found = method.find(regular, samples, seed)
        graph[np.ix_(varying, varying)] = found.graph
        notes |= found.notes
    return FoundGraph(graph, notes)


def matched(z: np.ndarray, z_hat: np.ndarray) -> np.ndarray:
    """The learned latents (samples, n), in the order of the true ones and with their signs.

    ``z`` is (samples, n), ``z_hat`` (samples, d), both of the same samples, the ones the graph is found on. The
    assignment is that of :func:`pdgmm.evaluation.mcc.mcc`. Learned latents that no true one is assigned to are
    dropped; a true latent without a learned one gets a column of zeros, so it will have no edges.
    """
    from pdgmm.evaluation.mcc import mcc

    match = mcc(z, z_hat)
    columns = np.asarray(z_hat, dtype=np.float64)[:, match.assignment] * match.signs
    return np.where(match.assignment == UNMATCHED, 0.0, columns)
