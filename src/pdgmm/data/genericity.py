"""Assumption 3.4, genericity: components of equal rank can be told apart where their supports meet."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.linalg import null_space


class Component(NamedTuple):
    """A possibly degenerate normal distribution: ``mean`` (n,), ``covariance`` (n, n) of any rank."""

    mean: np.ndarray
    covariance: np.ndarray


def indistinguishable_pairs(
    components: Sequence[Component], tolerance: float = 1e-8
) -> tuple[list[tuple[int, int]], int]:
    """Pairs of components of equal rank that break Assumption 3.4, and how many pairs of supports meet at all.

    A pair breaks it if the Mahalanobis distances to the two components agree in every point that both supports
    contain. On ``c + t N``, t free, the difference of their squares is a quadratic function of t: it vanishes
    iff its constant, linear and quadratic coefficients do. (The assumption asks the same of larger subsets,
    in the smaller intersection of all their supports; only pairs are checked here.)
    """
    parts = [_parts(component) for component in components]
    alike, meeting = [], 0
    for one, other in combinations(range(len(components)), 2):
        if len(parts[one].directions) != len(parts[other].directions):
            continue
        meet = _intersection(parts[one], parts[other], tolerance)
        if meet is None:
            continue
        meeting += 1
        first, second = (_squared_distance(parts[index], *meet) for index in (one, other))
        if all(np.allclose(a, b, rtol=tolerance, atol=tolerance) for a, b in zip(first, second, strict=True)):
            alike.append((one, other))
    return alike, meeting


class _Parts(NamedTuple):
    mean: np.ndarray
    directions: np.ndarray  # (rank, n), orthonormal
    precision: np.ndarray  # (n, n), the Moore-Penrose inverse of the covariance


def _parts(component: Component) -> _Parts:
    values, vectors = np.linalg.eigh(component.covariance)
    kept = values > 1e-10 * max(values[-1], 0.0)
    directions = vectors[:, kept].T
    return _Parts(component.mean, directions, (directions.T / values[kept]) @ directions)


def _intersection(one: _Parts, other: _Parts, tolerance: float) -> tuple[np.ndarray, np.ndarray] | None:
    """A point (n,) of both supports and the directions (rank, n) of their intersection; None: they miss."""
    n = len(one.mean)
    away = [np.eye(n) - part.directions.T @ part.directions for part in (one, other)]
    equations = np.concatenate(away)
    targets = np.concatenate([away[0] @ one.mean, away[1] @ other.mean])
    point = np.linalg.lstsq(equations, targets, rcond=None)[0]
    if np.abs(equations @ point - targets).max() > tolerance * (1 + np.abs(targets).max()):
        return None
    return point, null_space(equations, rcond=1e-8).T


def _squared_distance(part: _Parts, point: np.ndarray, directions: np.ndarray) -> list[np.ndarray]:
    """The coefficients of ``|c + t N - mean|^2`` in the component's metric: constant, linear, quadratic."""
    offset = point - part.mean
    moved = directions @ part.precision
    return [offset @ part.precision @ offset, moved @ offset, moved @ directions.T]
