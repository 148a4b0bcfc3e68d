"""The L2 distance of Gaussian mixtures up to an affine map: dist_Aff,L2 of Kivva et al. (2022), appendix J.1."""

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment, minimize

ALL_PERMUTATIONS_UP_TO = 5
"""Up to this many components all permutations are tried; more components are matched by assignment."""

STARTS = 6
"""From how many of the best matchings the optimisation of the map starts."""


class GaussianMixture(NamedTuple):
    """``sum_c weights_c N(means_c, covariances_c)``: (K,), (K, d) and (K, d, d)."""

    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray

    def moved(self, matrix: np.ndarray, shift: np.ndarray) -> "GaussianMixture":
        """The law of ``matrix z + shift``."""
        covariances = matrix @ self.covariances @ matrix.T
        return GaussianMixture(self.weights, self.means @ matrix.T + shift, covariances)


def inner_product(one: GaussianMixture, other: GaussianMixture) -> float:
    """``∫ p q = sum_ab w_a v_b N(mu_a; nu_b, S_a + T_b)``."""
    return float(_products(one, other)[0].sum())


def l2_distance(one: GaussianMixture, other: GaussianMixture) -> float:
    """``|p - q| / sqrt(|p| |q|)`` in L2: 0 for equal mixtures, sqrt 2 for equally high ones that are far apart."""
    return _normalised(inner_product(one, one), inner_product(other, other), inner_product(one, other))


def matched_means_distance(one: GaussianMixture, other: GaussianMixture, start: "Map | None" = None) -> float:
    """The distance after the least-squares map from the means of one mixture to those of the other.

    As in the paper, it is the best over all matchings of the components. More than ``ALL_PERMUTATIONS_UP_TO``
    components are matched by assignment, after the map ``start`` or after whitening. With K = d + 1 components the
    means always match, and the distance only depends on covariances and weights.
    """
    return min((_distance(one, other, mapped) for mapped in _mean_maps(one, other, start)), default=math.inf)


def optimised_distance(one: GaussianMixture, other: GaussianMixture, start: "Map | None" = None) -> float:
    """The distance minimised over all affine maps, by L-BFGS from the best matchings and from ``start``.

    It is symmetric, and unchanged when an invertible affine map is applied to either mixture. The search may end in a
    local minimum; the value is then too large, never too small.
    """
    # Between whitened mixtures the search does not depend on the coordinates, and is well conditioned.
    before, after = _whitening(one), _whitening(other)
    one, other = one.moved(*before), other.moved(*after)
    if start is not None:
        matrix = after.matrix @ start.matrix @ np.linalg.inv(before.matrix)
        start = Map(matrix, after.matrix @ start.shift + after.shift - matrix @ before.shift)
    maps = sorted(_mean_maps(one, other, start), key=lambda mapped: _distance(one, other, mapped))[:STARTS]
    maps += [start] if start is not None else []
    found = [_distance(one, other, mapped) for mapped in maps]
    for mapped in maps:
        if _usable(mapped):
            found.append(_improved(one, other, mapped))
    return min(found, default=math.inf)


class Map(NamedTuple):
    """``z -> matrix z + shift``."""

    matrix: np.ndarray
    shift: np.ndarray


def regression_map(one: np.ndarray, other: np.ndarray) -> Map:
    """The least-squares map from the codes (samples, d) of one fit to those of another."""
    design = np.column_stack([one, np.ones(len(one))])
    solution = np.linalg.lstsq(design, other, rcond=None)[0]
    return Map(solution[:-1].T, solution[-1])


def _usable(mapped: Map) -> bool:
    sizes = np.linalg.svd(mapped.matrix, compute_uv=False)
    return bool(sizes[-1] > 1e-8 * max(sizes[0], 1e-300))


def _normalised(p: float, q: float, cross: float) -> float:
    """The distance from ``∫ p^2``, ``∫ q^2`` and ``∫ p q``."""
    return math.sqrt(max(p + q - 2 * cross, 0.0) / math.sqrt(p * q))


def _distance(one: GaussianMixture, other: GaussianMixture, mapped: Map) -> float:
    """``l2_distance(one.moved(*mapped), other)``, also for maps so flat that the moved covariances are singular."""
    if not _usable(mapped):
        return math.inf
    p = inner_product(one, one) / abs(np.linalg.det(mapped.matrix))
    return _normalised(p, inner_product(other, other), inner_product(one.moved(*mapped), other))


def _mean_maps(one: GaussianMixture, other: GaussianMixture, start: Map | None) -> list[Map]:
    """Least-squares maps between the means, one for each matching that is tried."""
    count, dim = one.means.shape
    if count <= ALL_PERMUTATIONS_UP_TO and count == len(other.means):
        orders = [list(order) for order in itertools.permutations(range(count))]
    else:
        before = one.moved(*(start or _whitening(one)))
        after = other if start else other.moved(*_whitening(other))
        distances = np.square(before.means[:, None] - after.means).sum(axis=2)
        rows, order = linear_sum_assignment(distances)
        one = GaussianMixture(*(part[rows] for part in one))
        orders = [order]
    if len(one.means) <= dim:
        return [start] if start is not None else [Map(np.eye(dim), np.zeros(dim))]
    return [regression_map(one.means, other.means[order]) for order in orders]


def _whitening(mixture: GaussianMixture) -> Map:
    """A map that gives the mixture mean 0 and the identity as covariance."""
    mean = mixture.weights @ mixture.means
    centred = mixture.means - mean
    covariance = np.einsum("k,kij->ij", mixture.weights, mixture.covariances)
    covariance += (mixture.weights[:, None] * centred).T @ centred
    matrix = np.linalg.inv(np.linalg.cholesky(covariance))
    return Map(matrix, -matrix @ mean)


def _products(one: GaussianMixture, other: GaussianMixture) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``w_a v_b N(mu_a; nu_b, S_a + T_b)`` (K, L), ``(S_a + T_b)^-1`` (K, L, d, d) and that times ``mu_a - nu_b``."""
    total = one.covariances[:, None] + other.covariances[None]
    precision = np.linalg.inv(total)
    apart = one.means[:, None] - other.means[None]
    solved = np.einsum("abij,abj->abi", precision, apart)
    dim = one.means.shape[1]
    exponent = (apart * solved).sum(axis=2) + np.linalg.slogdet(total)[1] + dim * math.log(2 * math.pi)
    return one.weights[:, None] * other.weights * np.exp(-0.5 * exponent), precision, solved


def _improved(one: GaussianMixture, other: GaussianMixture, start: Map) -> float:
    """The smallest distance that L-BFGS finds from ``start``.

    ``∫ (A p)^2 = ∫ p^2 / |det A|``, so only the cross product must be differentiated. Its term (a, b) has
    ``d log N / dA = (s s^T - M^-1) A S_a - s mu_a^T`` with ``M = A S_a A^T + T_b`` and
    ``s = M^-1 (A mu_a + b - nu_b)``.
    """
    dim = one.means.shape[1]
    own, theirs = inner_product(one, one), inner_product(other, other)

    def value(flat: np.ndarray) -> tuple[float, np.ndarray]:
        matrix, shift = flat[: dim * dim].reshape(dim, dim), flat[dim * dim :]
        sign, log_det = np.linalg.slogdet(matrix)
        if sign == 0:
            return 1e6, np.zeros_like(flat)
        terms, precision, solved = _products(one.moved(matrix, shift), other)
        mapped = own * math.exp(-log_det)
        root, cross = math.sqrt(mapped * theirs), float(terms.sum())
        squared = (mapped + theirs - 2 * cross) / root
        curved = np.einsum("abi,abj->abij", solved, solved) - precision
        by_matrix = (np.einsum("ab,abij->aij", terms, curved) @ matrix @ one.covariances).sum(axis=0)
        by_matrix -= np.einsum("ab,abi,aj->ij", terms, solved, one.means)
        by_shift = -np.einsum("ab,abi->i", terms, solved)
        inverse = np.linalg.inv(matrix).T
        # d mapped = -mapped tr(A^-1 dA), and d root is half of that.
        of_matrix = (-mapped * inverse - 2 * by_matrix) / root + 0.5 * squared * inverse
        of_shift = -2 * by_shift / root
        return squared, np.concatenate([of_matrix.ravel(), of_shift])

    begin = np.concatenate([start.matrix.ravel(), start.shift])
    found = minimize(value, begin, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return math.sqrt(max(float(found.fun), 0.0))
