"""Which latents are active in which component, and what the supports must satisfy.

A mask is a row of zeros and ones: one if the latent is active, zero if it is constant. The assumptions are those of
Xu, Lachapelle and Magliacane (2026). They are about the supports of the components, which are affine spaces: a
point plus the span of some directions.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from pdgmm.errors import UserError

MASKS_PER_LATENT = 5
MOST_REDRAWS = 100
"""Forty latents with one active at a time need 1.3 draws on average; this many failures mean that it is hopeless."""

FEWEST_ACTIVE = 2

TOLERANCE = 1e-8
"""What counts as zero, relative to numbers of size 1."""


def active_count(n: int, rho: float | Literal["1var"]) -> int:
    """How many of ``n`` latents a component leaves active: 1 for ``"1var"``, else ``rho * n`` rounded down.

    Raises :class:`UserError` if no set of masks can satisfy Assumption 3.8b: for every i and j some mask must have
    latent j and not latent i, which is possible if and only if 1 <= active <= n - 1. A share that leaves a single
    latent active (n = 2 at 75 %) is refused too: that is a special case with the weakest identifiability, and must be
    asked for as ``"1var"``.
    """
    # The small term keeps 0.29 * 100 = 28.999… at 29.
    active = 1 if rho == "1var" else int(rho * n + 1e-9)
    if active > n - 1:
        raise UserError(
            f"n={n} with rho={rho} leaves {active} of {n} latents active: no latent is ever masked, so they "
            "cannot be told apart (Assumption 3.8b). Use n >= 2 and a rho below 1"
        )
    if rho != "1var" and active < FEWEST_ACTIVE:
        raise UserError(
            f"n={n} with rho={rho} leaves {active} of {n} latents active, a share needs {FEWEST_ACTIVE} or more. "
            f'Use rho="1var" for a single active latent, or n >= {np.ceil(FEWEST_ACTIVE / rho - 1e-9):g}'
        )
    return active


def draw_masks(n: int, rho: float | Literal["1var"], rng: np.random.Generator) -> np.ndarray:
    """Masks (J, n), uint8, that satisfy Assumption 3.8b; J <= 5n, all different, with equally many ones.

    Each attempt draws 5n masks uniformly and drops duplicates. If it leaves some latent inactive or two latents
    inseparable, the whole attempt is thrown away, so the result is a uniform draw given the assumption.
    """
    active = active_count(n, rho)
    for _ in range(MOST_REDRAWS):
        order = np.argsort(rng.random((MASKS_PER_LATENT * n, n)), axis=1)
        masks = (order < active).astype(np.uint8)
        if not inseparable_latents(masks):
            return np.unique(masks, axis=0)
    raise UserError(
        f"n={n} with rho={rho}: {MOST_REDRAWS} draws of {MASKS_PER_LATENT * n} masks with {active} active "
        "latents all broke Assumption 3.8b, for want of masks. Use a smaller n or a rho nearer to 0.5"
    )


def inseparable_latents(masks: np.ndarray) -> dict[int, list[int]]:
    """The violations of Assumption 3.8b: for each such latent i, the other latents that are never active without i.

    The assumption says that for every latent i, the masks (J, n) without i together activate all other latents. A
    latent that is never active is listed under every other one.
    """
    # In floating point the product uses BLAS; the counts are far below 2**24, so they are exact.
    active = np.asarray(masks, dtype=np.float32)
    together_without = (1 - active).T @ active  # [i, j]: number of masks with j and without i
    missing = together_without == 0
    np.fill_diagonal(missing, False)
    return {int(i): np.flatnonzero(missing[i]).tolist() for i in np.flatnonzero(missing.any(axis=1))}


def checked_supports(
    masks: np.ndarray, points: np.ndarray, directions: Sequence[np.ndarray], basis: np.ndarray
) -> dict[str, dict[str, Any]]:
    """The assumptions on the supports ``points[j] + span(directions[j])``, each with ``holds`` and ``why``.

    ``masks`` and ``points`` are (J, n), ``directions[j]`` (rank_j, n) with independent rows; ``basis`` (n, n)
    spans all supports with its rows, if any basis does.
    """
    meet = common_point(points, directions)
    spanned = spanned_by_subsets(directions, basis)
    standard = spanned_by_subsets(directions, np.eye(masks.shape[1]))
    through_zero = contain_origin(points, directions)
    inseparable = inseparable_latents(masks)
    never_apart = "; ".join(f"{others} never active without {i}" for i, others in inseparable.items())
    total = len(masks)
    return {
        "assumption_3_6": {
            "holds": bool(meet and spanned.all()),
            "why": f"the supports {'share a' if meet else 'have no common'} point; "
            f"{spanned.sum()} of {total} are spanned by subsets of one basis",
        },
        "assumption_3_8a": {
            "holds": bool(standard.all() and through_zero.all()),
            "why": f"{standard.sum()} of {total} supports are spanned by standard basis vectors; "
            f"{through_zero.sum()} of {total} contain the origin",
        },
        "assumption_3_8b": {
            "holds": not inseparable,
            "why": "no latent is ever masked"
            if masks.all()
            else never_apart or "the masks without a latent activate all others, for every latent",
        },
    }


def common_point(points: np.ndarray, directions: Sequence[np.ndarray]) -> bool:
    """Assumption 3.6, first half: whether some point lies in every ``points[j] + span(directions[j])``.

    A point c lies in support j iff ``(c - p_j)(I - P_j) = 0``, P_j being the projection on the directions; these
    equations have a common solution iff their least-squares solution has no residual.
    """
    away = [_projection_away(rows) for rows in directions]
    targets = [point @ projection for point, projection in zip(points, away, strict=True)]
    solution = np.linalg.lstsq(sum(away), sum(targets), rcond=None)[0]
    largest = TOLERANCE * (1 + np.abs(points).max())
    return all(
        np.abs(solution @ projection - target).max() <= largest
        for projection, target in zip(away, targets, strict=True)
    )


def spanned_by_subsets(
    directions: Sequence[np.ndarray], basis: np.ndarray, tolerance: float = TOLERANCE
) -> np.ndarray:
    """Which supports are spanned by a subset of the rows of ``basis`` (n, n): booleans (J,).

    All of them for some basis is Assumption 3.6, second half; for the standard basis, half of 3.8a. A
    subspace of rank r is spanned by a subset iff its rows, in coordinates of the basis, use r columns.
    """
    to_basis = np.linalg.inv(basis)
    used = [(np.abs(rows @ to_basis) > tolerance).any(axis=0).sum() for rows in directions]
    return np.array([count == len(rows) for count, rows in zip(used, directions, strict=True)])


def contain_origin(points: np.ndarray, directions: Sequence[np.ndarray]) -> np.ndarray:
    """Which supports are vector spaces, the other half of Assumption 3.8a: booleans (J,)."""
    distances = [
        np.abs(point @ _projection_away(rows)).max() for point, rows in zip(points, directions, strict=True)
    ]
    return np.array(distances) <= TOLERANCE * (1 + np.abs(points).max())


def _projection_away(rows: np.ndarray) -> np.ndarray:
    """``I - P`` (n, n), P being the orthogonal projection on the span of the rows."""
    return np.eye(rows.shape[1]) - np.linalg.pinv(rows) @ rows
