"""Linear structural causal models on random graphs, sampled and in closed form, and rotations of their latents.

Orientation, here and in every file: ``adjacency[i, j] = 1`` and ``weights[i, j] != 0`` mean ``i -> j``.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

NoiseKind = Literal["gauss", "exponential", "gumbel"]

_NOISE_MEAN = {"gauss": 0.0, "exponential": 1.0, "gumbel": float(np.euler_gamma)}
_NOISE_VARIANCE = {"gauss": 1.0, "exponential": 1.0, "gumbel": np.pi**2 / 6}

SMALLEST_WEIGHT, LARGEST_WEIGHT = 0.2, 1.0
"""Edge weights are uniform on ±[0.2, 1]: no edge is too weak to notice."""


def erdos_renyi_dag(n: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """The adjacency matrix (n, n), uint8, of an ER-k graph: ``n * k`` edges among ``n`` nodes.

    The edges are a uniformly drawn set of pairs, each pointing forward in a uniformly drawn causal order.
    A DAG has at most n(n-1)/2 edges, so small n with large k gives the complete DAG instead of n * k edges.
    """
    sources, targets = np.triu_indices(n, k=1)
    edges = rng.choice(len(sources), size=min(n * k, len(sources)), replace=False)
    order = rng.permutation(n)
    adjacency = np.zeros((n, n), dtype=np.uint8)
    adjacency[order[sources[edges]], order[targets[edges]]] = 1
    return adjacency


def random_weights(adjacency: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Edge weights (n, n), float64: uniform on ±[0.2, 1] where there is an edge, 0 elsewhere."""
    size = rng.uniform(SMALLEST_WEIGHT, LARGEST_WEIGHT, adjacency.shape)
    sign = rng.choice([-1.0, 1.0], adjacency.shape)
    return np.where(adjacency, sign * size, 0.0)


@dataclass(frozen=True)
class LinearScm:
    """``z_j = sum_i weights[i, j] z_i + e_j``, or in rows ``z = z B + e``, hence ``z = e (I - B)^-1``.

    ``weights`` is B (n, n) of an acyclic graph, ``B[i, j]`` the effect of i on j. The noise e has independent
    entries: standard normal (``gauss``), exponential of rate 1 (``exponential``) or standard Gumbel
    (``gumbel``). Exponential and Gumbel noise are not centred, so such latents have a mean.
    """

    weights: np.ndarray
    noise: NoiseKind = "gauss"

    @property
    def total_effects(self) -> np.ndarray:
        """``(I - B)^-1`` (n, n): entry (i, j) is the effect of i's noise on j over all directed paths."""
        return np.linalg.inv(np.eye(len(self.weights)) - self.weights)

    @property
    def mean(self) -> np.ndarray:
        """E[z] (n,)."""
        return _NOISE_MEAN[self.noise] * self.total_effects.sum(axis=0)

    @property
    def covariance(self) -> np.ndarray:
        """Cov[z] (n, n)."""
        effects = self.total_effects
        return _NOISE_VARIANCE[self.noise] * effects.T @ effects

    @property
    def std(self) -> np.ndarray:
        """Standard deviation of each variable (n,)."""
        return np.sqrt(np.diag(self.covariance))

    def without_edges(self) -> "LinearScm":
        """The model with the same noise and no edges: its variables are independent."""
        return LinearScm(np.zeros_like(self.weights), self.noise)

    def sample(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Samples (count, n), float64."""
        draw = {
            "gauss": rng.standard_normal,
            "exponential": rng.standard_exponential,
            "gumbel": lambda size: rng.gumbel(size=size),
        }
        return draw[self.noise]((count, len(self.weights))) @ self.total_effects


def rotation_matrix(n: int, theta: float) -> np.ndarray:
    """``R`` (n, n): the product of the plane rotations by ``theta`` degrees in all n(n-1)/2 planes.

    The planes (i, j), i < j, are taken in lexicographic order, and R acts on rows: ``z <- z R``. In the plane
    (i, j) the row ``e_i`` becomes ``cos e_i - sin e_j``.
    """
    cosine, sine = np.cos(np.deg2rad(theta)), np.sin(np.deg2rad(theta))
    in_plane = np.array([[cosine, -sine], [sine, cosine]])
    rotation = np.eye(n)
    for plane in combinations(range(n), 2):
        # Multiplying by a plane rotation from the right changes two columns only.
        rotation[:, plane] = rotation[:, plane] @ in_plane
    return rotation
