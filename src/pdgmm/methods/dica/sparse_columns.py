"""The linear map of the latents under which given Jacobians have the most diverse rows.

With Jacobians J_t (m, d) of a decoder at samples t, and latents ``u = H^-1 z``, the decoder's Jacobians for u are
``J_t H``, with columns ``J_t h_j``. DICA (arXiv 2510.17040) looks for the largest volume ``det(J^T J)`` at a given L1
norm of J. With the best scale of the columns put in, that is to minimise over the invertible H (d, d)

- ``l1``: ``mean_t sum_j log |J_t h_j|_1 - log |det H|``, if the norm is the sum over all entries, as in DICA's loss;
- ``row_l1``: ``mean_t d log max_i |(J_t H)_i|_1 - log |det H|``, if every row is bounded, as in DICA's theorem;
- ``l2``: as ``l1`` with the L2 norm: the contrast of independent mechanism analysis (Gresele et al., 2021).
"""

from typing import Literal

import numpy as np

from pdgmm.seeds import child_generator

Criterion = Literal["l1", "row_l1", "l2"]

SMOOTHING = 1e-1, 1e-5
"""Entries below this share of their column's mean size count as zero, in the first and in the last sweep."""

FREE_SWEEPS = 20
"""Sweeps before the weights of rows begin to change."""


def criterion_values(jacobians: np.ndarray, maps: np.ndarray, criterion: Criterion) -> np.ndarray:
    """The criterion (starts,) of ``maps`` H (starts, d, d), for ``jacobians`` (samples, m, d)."""
    values = []
    for one in maps:
        images = jacobians @ one
        if criterion == "row_l1":
            sizes = one.shape[0] * np.log(np.abs(images).sum(axis=2).max(axis=1))
        else:
            sizes = np.log(np.linalg.norm(images, ord=2 if criterion == "l2" else 1, axis=1)).sum(axis=1)
        values.append(sizes.mean())
    return np.array(values) - np.linalg.slogdet(maps)[1]


def sparse_columns(
    jacobians: np.ndarray, criterion: Criterion, *, starts: int, sweeps: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The maps (starts, d, d) found from random rotations, best first, and their criteria (starts,).

    Logs and absolute values are bounded by quadratics: ``log |a|_1 <= sum_i a_i^2 / (2 |b_i| |b|_1) + const``, equal
    at ``a = b``. So a sweep minimises ``sum_j h_j^T M_j h_j / 2 - log |det H|`` with ``M_j = mean_t J_t^T diag(1 /
    |J_t h_j|) J_t / |J_t h_j|_1``, column by column and in closed form: ``h_j ~ M_j^-1 c_j`` with c_j the j-th row of
    H^-1 (Ono, 2011). There is no step size, and no sweep makes the smoothed criterion worse. For ``row_l1`` the rows
    have weights, which are multiplied by the rows' norms after every sweep: the fixed point satisfies the conditions
    of Karush, Kuhn and Tucker, as in the multiplicative algorithm for optimal designs.
    """
    jacobians = np.asarray(jacobians, dtype=np.float64)
    samples, m, d = jacobians.shape
    # In coordinates in which the mean of J^T J is the identity, all rotations are equally good starts.
    variances, axes = np.linalg.eigh(np.einsum("tia,tib->ab", jacobians, jacobians) / samples)
    to_white = axes / np.sqrt(np.maximum(variances, variances[-1] * 1e-12))
    white = (jacobians @ to_white).reshape(samples * m, d)
    products = (white[:, :, None] * white[:, None, :]).reshape(samples * m, d * d)
    rng = child_generator(seed, "starts of the columns")
    maps = np.linalg.qr(rng.normal(size=(starts, d, d)))[0]
    shares = np.full((starts, samples, m), 1 / m)
    for sweep, smoothing in enumerate(np.geomspace(*SMOOTHING, sweeps)):
        images = (maps.transpose(0, 2, 1).reshape(-1, d) @ white.T).reshape(starts, d, samples, m)
        weights = _weights(images, shares, criterion, smoothing).reshape(starts * d, -1)
        maps = _swept((weights @ products / samples).reshape(starts, d, d, d), maps)
        if criterion == "row_l1" and sweep >= FREE_SWEEPS:
            shares = shares * np.abs(images).sum(axis=1)
            shares /= shares.sum(axis=2, keepdims=True)
    maps = to_white @ maps
    values = criterion_values(jacobians, maps, criterion)
    order = np.argsort(values)
    return maps[order], values[order]


def _weights(images: np.ndarray, shares: np.ndarray, criterion: Criterion, smoothing: float) -> np.ndarray:
    """The weights of squared entries in the quadratic bound at ``images`` (starts, d, samples, m), in their shape.

    ``shares`` (starts, samples, m) are the weights of rows, which sum to 1 at every sample.
    """
    if criterion == "l2":
        weight = 1 / (images**2).sum(axis=3, keepdims=True)
        return np.broadcast_to(weight, images.shape)
    sizes = np.abs(images)
    sizes = np.sqrt(sizes**2 + (smoothing * sizes.mean(axis=(2, 3), keepdims=True)) ** 2)
    if criterion == "l1":
        return 1 / (sizes * sizes.sum(axis=3, keepdims=True))
    norms = (shares * sizes.sum(axis=1)).sum(axis=2)
    return images.shape[1] * (shares / norms[:, :, None])[:, None] / sizes


def _swept(quadratics: np.ndarray, maps: np.ndarray) -> np.ndarray:
    """``maps`` (starts, d, d) with every column replaced by the best one for ``quadratics`` M (starts, d, d, d)."""
    maps = maps.copy()
    for j in range(maps.shape[1]):
        row = np.linalg.inv(maps)[:, j]
        found = np.linalg.solve(quadratics[:, j], row[:, :, None])[:, :, 0]
        maps[:, :, j] = found / np.sqrt(np.einsum("sa,sa->s", found, row))[:, None]
    return maps
