"""Where balls are: resting places that are fixed in a world, and positions that move around them."""

import numpy as np

from pdgmm.errors import UserError

REST_RANGE = (0.3, 0.7)
"""Resting places lie in this square of the unit frame."""

REST_DISTANCE = 0.2
"""They are farther apart than this."""

SPREAD = 0.1
"""Standard deviation of a coordinate around its resting place."""

FRAME_RANGE = (0.05, 0.95)
"""Positions lie in this square; those that fall outside are drawn again."""

TRIES = 100_000


def draw_resting_places(balls: int, rng: np.random.Generator) -> np.ndarray:
    """Places (balls, 2), uniform in the square such that all of them are far enough apart."""
    places = np.empty((0, 2))
    for _ in range(TRIES):
        place = rng.uniform(*REST_RANGE, 2)
        if (np.linalg.norm(places - place, axis=1) > REST_DISTANCE).all():
            places = np.vstack([places, place])
            if len(places) == balls:
                return places
        elif rng.random() < 1 / 50:
            # The first places may leave no room for the others: begin anew now and then.
            places = places[:0]
    raise UserError(
        f"balls={balls}: no room for so many resting places more than {REST_DISTANCE} apart, take fewer"
    )


def draw_positions(places: np.ndarray, frozen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Positions (count, balls, 2): normal around ``places`` (balls, 2) inside the frame, at rest where ``frozen``.

    ``frozen`` (count, balls, 2) says which coordinates rest.
    """
    positions = rng.normal(places, SPREAD, frozen.shape)
    while (outside := _outside(positions)).any():
        positions[outside] = rng.normal(np.broadcast_to(places, frozen.shape)[outside], SPREAD)
    return np.where(frozen, places, positions)


def apart(positions: np.ndarray, radius: float) -> np.ndarray:
    """(count,) whether no two balls of radius ``radius`` at ``positions`` (count, balls, 2) overlap."""
    difference = positions[:, :, None] - positions[:, None]
    distance = np.linalg.norm(difference, axis=-1)
    first, second = np.triu_indices(positions.shape[1], 1)
    return (distance[:, first, second] >= 2 * radius).all(axis=1)


def _outside(positions: np.ndarray) -> np.ndarray:
    return ((positions < FRAME_RANGE[0]) | (positions > FRAME_RANGE[1])).any(axis=-1)
