"""Components that cannot be told apart where they meet: a violation of Assumption 3.4, genericity."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from pydantic import Field
from scipy.linalg import null_space

from pdgmm.data.base import Structure
from pdgmm.data.masked_scm import MaskedScmWorld, MixedScm
from pdgmm.data.masks import TOLERANCE
from pdgmm.seeds import child_generator


@dataclass(frozen=True, kw_only=True)
class NonGenericWorld(MaskedScmWorld):
    """A masked SCM whose active latents are moved by ``shift`` (n,) and whose masked ones are 0; without rotation."""

    shift: np.ndarray

    def structure(self) -> Structure:
        """Like that of a masked SCM, with the fact ``assumption_3_4``."""
        structure = super().structure()
        means = np.where(self.masks, self.shift, self.translation)
        covariances = self.scm.covariance * self.masks[:, :, None] * self.masks[:, None]
        alike, meeting = indistinguishable_pairs(list(zip(means, covariances, strict=True)))
        structure.facts["assumption_3_4"] = {
            "holds": not alike,
            "why": f"{len(alike)} of {meeting} pairs of components whose supports meet have equal Mahalanobis "
            "distances wherever they meet",
        }
        return structure

    def _in_component(self, source: np.ndarray, component: np.ndarray) -> np.ndarray:
        return super()._in_component(source - self.scm.mean + self.shift, component)


class NonGeneric(MixedScm):
    """One line for each latent, along its axis; all lines meet in the origin, equally far from each mean.

    Component j is ``N(s_j d_j std_j e_j, std_j^2 e_j e_j^T)`` with a random sign s_j: the origin has the
    Mahalanobis distance d_j from it. With ``spread`` 0 all d_j are equal, which breaks Assumption 3.4 as in
    example E.2 of Xu, Lachapelle and Magliacane (2026), there for two latents; all other assumptions hold.
    """

    distance: float = Field(
        1.0, ge=0, description="Mahalanobis distance of the origin from the first component"
    )
    spread: float = Field(
        0.0,
        ge=0,
        description="how much larger the distance of the last component is, as a share of `distance`, with equal "
        "steps between. 0: all are equal, which violates Assumption 3.4; above 0 it holds",
    )

    def noiseless(self, seed: int) -> NonGenericWorld:
        """SCM and mixing are those of the generator ``pdgmm``."""
        scm = self.draw_scm(seed)
        signs = child_generator(seed, "signs").choice([-1.0, 1.0], self.n)
        distances = self.distance * (1 + self.spread * np.linspace(0, 1, self.n))
        return NonGenericWorld(
            scm=scm,
            masks=np.eye(self.n, dtype=np.uint8),
            translation=np.zeros(self.n),
            mixing=self.draw_mixing(seed),
            shift=signs * distances * scm.std,
        )


def indistinguishable_pairs(
    components: Sequence[tuple[np.ndarray, np.ndarray]],
) -> tuple[list[tuple[int, int]], int]:
    """Pairs of components of equal rank that break Assumption 3.4, and how many pairs of supports meet at all.

    A component is a mean (n,) and a covariance (n, n) of any rank. A pair breaks the assumption if the Mahalanobis
    distances to the two components agree at every point that both supports contain. These points are ``c + t N``
    with any t, and there the difference of the squared distances is a quadratic function of t: it vanishes iff its
    constant, linear and quadratic coefficients do. (The assumption is also about larger sets of components and the
    intersection of all their supports; only pairs are checked here.)
    """
    parts = [_parts(*component) for component in components]
    alike, meeting = [], 0
    for one, other in combinations(range(len(components)), 2):
        if len(parts[one].directions) != len(parts[other].directions):
            continue
        meet = _intersection(parts[one], parts[other])
        if meet is None:
            continue
        meeting += 1
        first, second = (_squared_distance(parts[index], *meet) for index in (one, other))
        if all(np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE) for a, b in zip(first, second, strict=True)):
            alike.append((one, other))
    return alike, meeting


class _Parts(NamedTuple):
    mean: np.ndarray
    directions: np.ndarray  # (rank, n), orthonormal
    precision: np.ndarray  # (n, n), the Moore-Penrose inverse of the covariance


def _parts(mean: np.ndarray, covariance: np.ndarray) -> _Parts:
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-10 * max(values[-1], 0.0)
    directions = vectors[:, kept].T
    return _Parts(mean, directions, (directions.T / values[kept]) @ directions)


def _intersection(one: _Parts, other: _Parts) -> tuple[np.ndarray, np.ndarray] | None:
    """A point (n,) of both supports and the directions (rank, n) of their intersection; None if they do not meet."""
    n = len(one.mean)
    away = [np.eye(n) - part.directions.T @ part.directions for part in (one, other)]
    equations = np.concatenate(away)
    targets = np.concatenate([away[0] @ one.mean, away[1] @ other.mean])
    point = np.linalg.lstsq(equations, targets, rcond=None)[0]
    if np.abs(equations @ point - targets).max() > TOLERANCE * (1 + np.abs(targets).max()):
        return None
    return point, null_space(equations, rcond=1e-8).T


def _squared_distance(part: _Parts, point: np.ndarray, directions: np.ndarray) -> list[np.ndarray]:
    """The coefficients of ``|c + t N - mean|^2`` in the component's metric: constant, linear, quadratic."""
    offset = point - part.mean
    moved = directions @ part.precision
    return [offset @ part.precision @ offset, moved @ offset, moved @ directions.T]
