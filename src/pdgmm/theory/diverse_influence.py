"""Sufficiently diverse influence: an exact test for the rows of a Jacobian with few columns.

The condition of DICA (arXiv 2510.17040) for one point s, with g_i the gradient of the i-th observed feature: the rows
g_i lie in a weighted L1 ball, their convex hull holds the largest ellipsoid of that ball, and it touches the
ellipsoid only where the ball itself does. After a scaling of the columns the ball is the unit ball of the L1 norm,
its largest ellipsoid is the ball of radius ``1 / sqrt(d)``, and the two touch at the ``2^d`` points ``signs / d``.
Determinants and row norms do not see the sign of a row, so the hull of the rows and their negatives decides.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.spatial import ConvexHull, QhullError

MOST_LATENTS = 5
"""The hull has too many facets beyond this dimension."""

TOLERANCE = 1e-7
"""Distances and normals of facets that differ by less are equal."""


@dataclass(frozen=True)
class Diversity:
    """How far the hull of rows reaches, as shares of the radius of the largest ellipsoid in the ball."""

    inner: float
    """The distance of the nearest facet, at most 1: 1 if the hull holds the ellipsoid, 0 if the hull is flat."""
    elsewhere: float
    """The distance of the nearest facet that is not a facet of the ball; above 1 if both touch only where they must.
    Infinity if there is no such facet."""

    @property
    def sufficient(self) -> bool:
        """Whether the rows satisfy the condition."""
        return self.inner >= 1 - TOLERANCE and self.elsewhere > 1 + TOLERANCE


def column_weights(rows: np.ndarray) -> np.ndarray:
    """The weights w (d,) of the smallest ball ``sum_j w_j |g_j| <= 1`` that holds all ``rows`` (m, d).

    The volume of the ball is proportional to ``1 / prod_j w_j``, so w maximises ``sum_j log w_j`` subject to
    ``|rows| w <= 1``: a concave problem with one solution if no column is zero.
    """
    sizes = np.abs(np.asarray(rows, dtype=float))
    scale = sizes.max(axis=0)
    sizes = sizes / scale
    start = np.full(len(scale), 0.99 / sizes.sum(axis=1).max())
    found = minimize(
        lambda w: -np.log(w).sum(),
        start,
        jac=lambda w: -1 / w,
        bounds=[(1e-9, None)] * len(scale),
        constraints={"type": "ineq", "fun": lambda w: 1 - sizes @ w, "jac": lambda w: -sizes},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    # SLSQP may leave the feasible set by rounding errors.
    return found.x / max(1.0, (sizes @ found.x).max()) / scale


def diversity(rows: np.ndarray, weights: np.ndarray | None = None) -> Diversity:
    """The test for ``rows`` (m, d), d at most 5; ``weights`` (d,) are those of the ball (None: the smallest)."""
    rows = np.asarray(rows, dtype=float)
    d = rows.shape[1]
    if not 2 <= d <= MOST_LATENTS:
        raise ValueError(f"the test needs 2 to {MOST_LATENTS} columns, not {d}")
    if not np.abs(rows).max(axis=0).all():
        return Diversity(0.0, 0.0)
    rows = rows * (column_weights(rows) if weights is None else weights)
    try:
        facets = ConvexHull(np.concatenate([rows, -rows])).equations
    except QhullError:  # all rows lie in a hyperplane
        return Diversity(0.0, 0.0)
    normals, distances = facets[:, :-1], -facets[:, -1] * np.sqrt(d)
    of_ball = (np.abs(np.abs(normals) * np.sqrt(d) - 1) < TOLERANCE).all(axis=1)
    of_ball &= np.abs(distances - 1) < TOLERANCE
    elsewhere = float(distances[~of_ball].min(initial=np.inf))
    return Diversity(min(float(distances.min()), 1.0), elsewhere)
